// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplitFactory } from "../../src/PaymentSplitFactory.sol";
import { TronPaymentSplitFactory } from "../../src/tron/TronPaymentSplitFactory.sol";
import { AllocationTest } from "../allocation.t.sol";
import { CreateAndDistributeTest } from "../create-and-distribute.t.sol";
import { CreateSplitTest } from "../create-split.t.sol";
import { DistributeTest } from "../distribute.t.sol";
import { GasLimitTest } from "../gas-limit.t.sol";
import { InvariantsTest } from "../invariants.t.sol";
import { MisbehavingTokensTest } from "../misbehaving-tokens.t.sol";
import { ReleaseTest } from "../release.t.sol";
import { GarbageReturningToken } from "../tokens/MisbehavingTokens.sol";

/*
 * Runs tests of the EVM contracts on TRON's contracts, which have the same functions and events. Only TRON's split has
 * the error PayoutUnderpowered, and only the EVM split has NativeUnsupported. test/integration/tron tests the
 * differences on a local TRON.
 */

/// @notice TRON's factory adapted to the virtual machine of these tests, where CREATE2 hashes 0xff.
contract FactoryOnEthereum is TronPaymentSplitFactory {
    function _create2Prefix() internal pure override returns (bytes1) {
        return 0xff;
    }
}

/// @dev Returns TRON's factory with the type of the EVM factory, which has the same functions.
function deployTronFactory() returns (PaymentSplitFactory) {
    return PaymentSplitFactory(address(new FactoryOnEthereum()));
}

contract TronAllocationTest is AllocationTest {
    function deployFactory() internal override returns (PaymentSplitFactory) {
        return deployTronFactory();
    }
}

/// forge-config: default.fuzz.runs = 64
contract TronCreateSplitTest is CreateSplitTest {
    function deployFactory() internal override returns (PaymentSplitFactory) {
        return deployTronFactory();
    }
}

/// forge-config: default.fuzz.runs = 64
contract TronDistributeTest is DistributeTest {
    function deployFactory() internal override returns (PaymentSplitFactory) {
        return deployTronFactory();
    }
}

contract TronCreateAndDistributeTest is CreateAndDistributeTest {
    function deployFactory() internal override returns (PaymentSplitFactory) {
        return deployTronFactory();
    }
}

/// forge-config: default.fuzz.runs = 64
contract TronGasLimitTest is GasLimitTest {
    function deployFactory() internal override returns (PaymentSplitFactory) {
        return deployTronFactory();
    }
}

contract TronReleaseTest is ReleaseTest {
    function deployFactory() internal override returns (PaymentSplitFactory) {
        return deployTronFactory();
    }
}

/// forge-config: default.invariant.runs = 4
contract TronInvariantsTest is InvariantsTest {
    function deployFactory() internal override returns (PaymentSplitFactory) {
        return deployTronFactory();
    }
}

contract TronMisbehavingTokensTest is MisbehavingTokensTest {
    function deployFactory() internal override returns (PaymentSplitFactory) {
        return deployTronFactory();
    }

    /// @dev TRON's contract ignores return values. The recipient's balance has risen, so they count as paid.
    function test_garbage_ofATokenThatPaid() public override {
        GarbageReturningToken token = new GarbageReturningToken();
        token.mint(address(split), 100e6);
        token.move();
        token.answer(treasury, abi.encode(2));
        distribute(token);
        assertEq(token.balanceOf(treasury), 10e6);
        assertEq(split.totalHeld(address(token)), 0);
    }

    /// @dev Redeclares the inherited test, because a mutation guard (test/mutation/guards) must find it in this file.
    function test_feeOnTop_neverTakesWhatIsHeldForAnother() public override {
        super.test_feeOnTop_neverTakesWhatIsHeldForAnother();
    }
}

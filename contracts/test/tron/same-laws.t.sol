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
 * The tests of the other contracts' behaviour, run on TRON's: functions, events and errors are the same. What only TRON has,
 * test/integration/tron asks of a local TRON.
 */

/// @notice TRON's factory as it would be on the machine of these tests, where CREATE2 hashes 0xff.
contract FactoryOnEthereum is TronPaymentSplitFactory {
    function _create2Prefix() internal pure override returns (bytes1) {
        return 0xff;
    }
}

/// @dev In the place of the other factory.
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

    /// @dev As USDT does there with `false`: whatever it answers, who has the money was paid.
    function test_garbage_ofATokenThatPaid() public override {
        GarbageReturningToken token = new GarbageReturningToken();
        token.mint(address(split), 100e6);
        token.move();
        token.answer(treasury, abi.encode(2));
        distribute(token);
        assertEq(token.balanceOf(treasury), 10e6);
        assertEq(split.totalHeld(address(token)), 0);
    }

    /// @dev The same test, by its name: the table of mutants (test/mutants/rules) takes the rule out of TRON's contract.
    function test_feeOnTop_neverTakesWhatIsHeldForAnother() public override {
        super.test_feeOnTop_neverTakesWhatIsHeldForAnother();
    }
}

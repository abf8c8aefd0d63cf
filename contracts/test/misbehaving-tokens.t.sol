// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { SplitTest } from "./support/SplitTest.sol";
import {
    FalseReturningToken,
    FeeTakingToken,
    GarbageReturningToken,
    GasBurningToken,
    ReentrantToken,
    ReturnBombToken
} from "./tokens/MisbehavingTokens.sol";
import { TestToken } from "./tokens/TestToken.sol";
import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @notice A token that returns wrong values or too much data, calls back, or takes fees gains nothing and harms
/// only its own holders.
contract MisbehavingTokensTest is SplitTest {
    PaymentSplit internal split;

    function setUp() public override {
        super.setUp();
        split = createSplit(splitOfThree());
    }

    function test_false_isAFailedPayout() public {
        FalseReturningToken token = new FalseReturningToken();
        token.mint(address(split), 100e6);
        token.refuse(treasury, true);
        distribute(token);

        assertEq(split.held(address(token), treasury), 10e6);
        assertEq(token.balanceOf(merchant), 50e6);
        assertEq(token.balanceOf(partner), 40e6);
    }

    function test_false_isAFailedRelease() public {
        FalseReturningToken token = new FalseReturningToken();
        token.mint(address(split), 100e6);
        token.refuse(treasury, true);
        distribute(token);

        vm.expectRevert(PaymentSplit.ReleaseFailed.selector);
        split.release(address(token), treasury);
        token.refuse(treasury, false);
        assertEq(split.release(address(token), treasury), 10e6);
    }

    function test_false_isAFailedIncentive() public {
        FalseReturningToken token = new FalseReturningToken();
        PaymentSplit incentivized = createSplit(splitOfTwo());
        token.mint(address(incentivized), 100e6);
        token.refuse(keeper, true);
        vm.expectRevert(PaymentSplit.IncentiveTransferFailed.selector);
        incentivized.distribute(splitOfTwo(), address(token), keeper);
    }

    /// @dev Only `true` or empty return data counts as a payment.
    function testFuzz_garbage_isAFailedPayout(bytes memory answer) public {
        vm.assume(answer.length > 0 && (answer.length < 32 || bytes32(answer) != bytes32(uint256(1))));
        GarbageReturningToken token = new GarbageReturningToken();
        token.mint(address(split), 100e6);
        token.answer(treasury, answer);
        distribute(token);
        assertEq(split.held(address(token), treasury), 10e6);
        assertEq(token.balanceOf(merchant), 50e6);
    }

    /// @dev The token reports a failure although it paid. The amount to hold is missing, so the call reverts.
    function test_garbage_ofATokenThatPaid() public virtual {
        GarbageReturningToken token = new GarbageReturningToken();
        token.mint(address(split), 100e6);
        token.move();
        token.answer(treasury, abi.encode(2));

        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.HeldUnbacked.selector, 0, 10e6));
        distribute(token);
        assertEq(token.balanceOf(address(split)), 100e6);
    }

    function testFuzz_true_mayBeFollowedByMore(bytes memory more) public {
        GarbageReturningToken token = new GarbageReturningToken();
        token.mint(address(split), 100e6);
        token.move();
        token.answer(treasury, bytes.concat(abi.encode(true), more));
        distribute(token);
        assertEq(token.balanceOf(treasury), 10e6);
        assertEq(token.balanceOf(address(split)), 0);
    }

    function test_returnBomb_isNotCopied_whenItReverts() public {
        expectBombDisarmed(true);
    }

    function test_returnBomb_isNotCopied_whenItReturns() public {
        expectBombDisarmed(false);
    }

    /// @dev The failed payout burns 63/64 of the remaining gas. Of 16 million, the last 1/64 pays the other recipients.
    function test_burntGas_harmsNobody() public {
        GasBurningToken token = new GasBurningToken();
        token.mint(address(split), 100e6);
        token.refuse(treasury);
        split.distribute{ gas: 16_000_000 }(splitOfThree(), address(token), address(0));
        assertEq(split.held(address(token), treasury), 10e6);
        assertEq(token.balanceOf(merchant), 50e6);
        assertEq(token.balanceOf(partner), 40e6);
    }

    function test_reentrantCalls_areRefused() public {
        ReentrantToken token = new ReentrantToken();
        usdc.mint(address(split), 100e6);
        token.mint(address(split), 100e6);
        bytes[] memory attacks = new bytes[](4);
        attacks[0] = abi.encodeCall(PaymentSplit.distribute, (splitOfThree(), address(token), keeper));
        attacks[1] = abi.encodeCall(PaymentSplit.distribute, (splitOfThree(), address(usdc), keeper));
        attacks[2] = abi.encodeCall(PaymentSplit.release, (address(token), treasury));
        attacks[3] = abi.encodeCall(PaymentSplit.release, (address(usdc), treasury));
        token.attack(address(split), attacks);
        distribute(token);

        assertEq(token.attempts(), 3 * attacks.length);
        assertEq(token.successes(), 0);
        assertEq(token.lastError(), ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        assertEq(token.balanceOf(merchant), 50e6);
        assertEq(usdc.balanceOf(address(split)), 100e6);
    }

    function test_reentrantCalls_areRefused_inARelease() public {
        usdc.mint(address(split), 100e6);
        ReentrantToken token = new ReentrantToken();
        token.mint(address(split), 100e6);
        holdForTreasury(address(token));

        bytes[] memory attacks = new bytes[](2);
        attacks[0] = abi.encodeCall(PaymentSplit.release, (address(token), treasury));
        attacks[1] = abi.encodeCall(PaymentSplit.distribute, (splitOfThree(), address(usdc), keeper));
        token.attack(address(split), attacks);
        split.release(address(token), treasury);

        assertEq(token.attempts(), 2);
        assertEq(token.successes(), 0);
        assertEq(token.balanceOf(treasury), 10e6);
    }

    /// @dev The guard does not block the distribution of the next token in the same transaction.
    function test_guard_opensAgain() public {
        TestToken other = new TestToken("Other", "OTHER", 6);
        usdc.mint(address(split), 100e6);
        other.mint(address(split), 100e6);
        address[] memory tokens = new address[](2);
        (tokens[0], tokens[1]) = (address(usdc), address(other));
        factory.createAndDistribute(splitOfThree(), SALT, tokens, address(0));
        assertEq(other.balanceOf(merchant), 50e6);
    }

    function test_feeOnTransfer_isBorneByWhoReceives() public {
        FeeTakingToken token = new FeeTakingToken();
        token.mint(address(split), 100e6);
        distribute(token);
        assertEq(token.balanceOf(merchant), 49.5e6);
        assertEq(token.balanceOf(address(split)), 0);
    }

    /// @dev The fees leave 49.5 of the merchant's 50, who is paid last. Holding the share would promise missing money.
    function test_feeOnTop_leavesNoTrace() public {
        FeeTakingToken token = new FeeTakingToken();
        token.mint(address(split), 100e6);
        token.chargeSender();
        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.HeldUnbacked.selector, 49.5e6, 50e6));
        distribute(token);
        assertEq(token.balanceOf(address(split)), 100e6);
    }

    /// @dev The split holds 10 for the treasury and 4 for the partner. Releasing the treasury's 10 costs 10.1, and
    /// would leave only 3.9 for the partner.
    function test_feeOnTop_neverTakesWhatIsHeldForAnother() public virtual {
        FeeTakingToken token = new FeeTakingToken();
        token.mint(address(split), 100e6);
        holdForTreasury(address(token));
        vm.mockCallRevert(address(token), abi.encodeCall(token.transfer, (partner, 4e6)), "");
        token.mint(address(split), 10e6);
        distribute(token);
        vm.clearMockedCalls();
        token.chargeSender();

        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.HeldUnbacked.selector, 3.9e6, 4e6));
        split.release(address(token), treasury);
    }

    /// @dev If a token reduces the balance below the held amount, the distributable amount is zero and does not
    /// underflow.
    function test_shrunkenBalance_isNotDistributable() public {
        usdc.mint(address(split), 100e6);
        holdForTreasury(address(usdc));
        deal(address(usdc), address(split), 9e6);
        assertEq(split.distributable(address(usdc)), 0);
        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.NothingToDistribute.selector, 9e6, 10e6));
        split.distribute(splitOfThree(), address(usdc), address(0));
    }

    function distribute(TestToken token) internal {
        split.distribute(splitOfThree(), address(token), address(0));
    }

    /// @dev Distributes while the treasury cannot be paid its tenth, which the split then holds.
    function holdForTreasury(address token) private {
        uint256 share = split.distributable(token) / 10;
        bytes memory payout = abi.encodeWithSignature("transfer(address,uint256)", treasury, share);
        vm.mockCallRevert(token, payout, "");
        split.distribute(splitOfThree(), token, address(0));
        vm.clearMockedCalls();
        assertEq(split.held(token, treasury), share);
    }

    /// @dev Building half a megabyte costs the token 523,000 gas. Copying the data would cost the split as much.
    function expectBombDisarmed(bool isReverting) private {
        ReturnBombToken token = new ReturnBombToken();
        token.mint(address(split), 100e6);
        token.refuse(treasury, isReverting);
        distribute(token);
        assertLt(vm.lastCallGas().gasTotalUsed, 523_000 + 200_000);
        assertEq(split.held(address(token), treasury), 10e6);
        assertEq(token.balanceOf(merchant), 50e6);
        assertEq(token.balanceOf(partner), 40e6);
    }
}

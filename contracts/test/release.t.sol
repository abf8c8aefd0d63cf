// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { SplitTest } from "./support/SplitTest.sol";
import { TestUSDT } from "./tokens/TestUSDT.sol";

contract ReleaseTest is SplitTest {
    PaymentSplit private split;

    /// @dev Of 100 USDC, the treasury's 10 and the partner's 40 are held; the merchant has received 50.
    function setUp() public override {
        super.setUp();
        split = createSplit(splitOfThree());
        usdc.mint(address(split), 100e6);
        usdc.blacklist(treasury);
        usdc.blacklist(partner);
        split.distribute(splitOfThree(), address(usdc), address(0));
        usdc.unBlacklist(treasury);
    }

    function testFuzz_pays_theRecipient_whoeverCalls(address caller) public {
        vm.expectEmit(address(split));
        emit PaymentSplit.PayoutReleased(address(usdc), treasury, 10e6);
        vm.prank(caller);
        uint256 amount = split.release(address(usdc), treasury);

        assertEq(amount, 10e6);
        assertEq(usdc.balanceOf(treasury), 10e6);
        assertEq(split.held(address(usdc), treasury), 0);
    }

    function test_leaves_whatIsHeldForOthers() public {
        split.release(address(usdc), treasury);
        assertEq(split.held(address(usdc), partner), 40e6);
        assertEq(split.totalHeld(address(usdc)), 40e6);
        assertEq(usdc.balanceOf(address(split)), 40e6);
        assertEq(split.distributable(address(usdc)), 0);
    }

    function test_leaves_whatArrivedSince() public {
        usdc.mint(address(split), 5e6);
        split.release(address(usdc), treasury);
        assertEq(split.distributable(address(usdc)), 5e6);
    }

    function test_pays_allThatWasHeldInSeveralDistributions() public {
        usdc.blacklist(treasury);
        usdc.mint(address(split), 100e6);
        split.distribute(splitOfThree(), address(usdc), address(0));
        usdc.unBlacklist(treasury);
        assertEq(split.release(address(usdc), treasury), 20e6);
    }

    function test_reverts_theSecondTime() public {
        split.release(address(usdc), treasury);
        vm.expectRevert(PaymentSplit.NothingHeld.selector);
        split.release(address(usdc), treasury);
    }

    function testFuzz_reverts_forAnyoneNothingIsHeldFor(address recipient) public {
        vm.assume(recipient != treasury && recipient != partner);
        vm.expectRevert(PaymentSplit.NothingHeld.selector);
        split.release(address(usdc), recipient);
    }

    function test_reverts_inAnotherToken() public {
        TestUSDT usdt = new TestUSDT(6);
        usdt.mint(address(split), 100e6);
        vm.expectRevert(PaymentSplit.NothingHeld.selector);
        split.release(address(usdt), treasury);
    }

    function test_reverts_withoutTrace_whileTheRecipientIsBlocked() public {
        vm.expectRevert(PaymentSplit.ReleaseFailed.selector);
        split.release(address(usdc), partner);
        assertEq(split.held(address(usdc), partner), 40e6);
        assertEq(split.totalHeld(address(usdc)), 50e6);
    }

    function test_reverts_whileTheTokenIsPaused() public {
        usdc.pause();
        vm.expectRevert(PaymentSplit.ReleaseFailed.selector);
        split.release(address(usdc), treasury);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { Split } from "../src/Split.sol";
import { SplitTest } from "./support/SplitTest.sol";
import { TestUSDT } from "./tokens/TestUSDT.sol";
import { Vm } from "forge-std/Vm.sol";

contract DistributeTest is SplitTest {
    function test_selector_isThatOf0xSplits() public pure {
        assertEq(PaymentSplit.distribute.selector, bytes4(0x2d3f5537));
    }

    /// @dev The specification's example: of 100, the keeper gets 0.1, and the rest is divided into 99.0991 %
    /// and 0.9009 %.
    function test_pays_theSpecificationsExample() public {
        PaymentSplit split = paid(splitOfTwo(), 100e6);
        split.distribute(splitOfTwo(), address(usdc), keeper);

        assertEq(usdc.balanceOf(keeper), 100_000);
        assertEq(usdc.balanceOf(merchant), 99_000_001);
        assertEq(usdc.balanceOf(treasury), 899_999);
        assertEq(usdc.balanceOf(address(split)), 0);
    }

    function testFuzz_pays_everyoneTheirFloor_andTheMerchantTheRest(uint256 seed, uint256 amount) public {
        Split memory terms = anySplit(seed);
        amount = _bound(amount, 1, type(uint128).max);
        PaymentSplit split = paid(terms, amount);
        split.distribute(terms, address(usdc), keeper);

        uint256 incentive = amount * terms.distributionIncentive / 1_000_000;
        uint256 pot = amount - incentive;
        assertEq(usdc.balanceOf(keeper), incentive);
        for (uint256 i = 0; i < terms.recipients.length; i++) {
            assertEq(usdc.balanceOf(terms.recipients[i]), payoutOf(terms, terms.recipients[i], pot));
        }
        assertEq(usdc.balanceOf(address(split)), 0);
    }

    function testFuzz_overpays_theMerchantByLessThanOneUnitPerRecipient(uint256 seed, uint256 amount) public {
        Split memory terms = anySplit(seed & ~uint256(3) | 1); // no duplicate recipient
        amount = _bound(amount, 1, type(uint128).max);
        paid(terms, amount).distribute(terms, address(usdc), address(0));

        uint256 paidMillionths = usdc.balanceOf(terms.recipients[0]) * 1_000_000;
        uint256 exactMillionths = amount * terms.allocations[0];
        assertGe(paidMillionths, exactMillionths);
        assertLt(paidMillionths, exactMillionths + terms.recipients.length * 1_000_000);
    }

    function testFuzz_shares_theIncentive_whenNobodyClaimsIt(uint256 seed, uint256 amount) public {
        Split memory terms = anySplit(seed);
        amount = _bound(amount, 1, type(uint128).max);
        PaymentSplit split = paid(terms, amount);
        split.distribute(terms, address(usdc), address(0));

        assertEq(usdc.balanceOf(terms.recipients[0]), payoutOf(terms, terms.recipients[0], amount));
        assertEq(usdc.balanceOf(address(split)), 0);
    }

    /// @dev An incentive paid to the split itself would count as another payment.
    function testFuzz_shares_theIncentive_whenTheSplitItselfIsNamed(uint256 seed, uint256 amount) public {
        Split memory terms = anySplit(seed);
        amount = _bound(amount, 1, type(uint128).max);
        PaymentSplit split = paid(terms, amount);
        vm.recordLogs();
        split.distribute(terms, address(usdc), address(split));

        bytes32 self = bytes32(uint256(uint160(address(split))));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        for (uint256 i = 0; i < logs.length; i++) {
            assertNotEq(logs[i].topics[2], self); // neither as distributor nor as recipient
        }
        assertEq(usdc.balanceOf(terms.recipients[0]), payoutOf(terms, terms.recipients[0], amount));
        assertEq(usdc.balanceOf(address(split)), 0);
    }

    function test_pays_oneUnit_toTheMerchant() public {
        paid(splitOfThree(), 1).distribute(splitOfThree(), address(usdc), keeper);
        assertEq(usdc.balanceOf(merchant), 1);
    }

    function test_pays_aRecipientTwice_whoIsListedTwice() public {
        Split memory terms = splitOfThree();
        terms.recipients[2] = treasury;
        paid(terms, 100e6).distribute(terms, address(usdc), address(0));
        assertEq(usdc.balanceOf(treasury), 50e6);
    }

    function test_pays_aTokenThatReturnsNothing() public {
        TestUSDT usdt = new TestUSDT(6);
        PaymentSplit split = createSplit(splitOfThree());
        usdt.mint(address(split), 100e6);
        split.distribute(splitOfThree(), address(usdt), address(0));
        assertEq(usdt.balanceOf(merchant), 50e6);
        assertEq(usdt.balanceOf(partner), 40e6);
    }

    function testFuzz_emits_theGrossAmount(uint256 seed, uint256 amount, address distributor) public {
        vm.assume(distributor != address(usdc) && distributor != address(0));
        Split memory terms = anySplit(seed);
        amount = _bound(amount, 1, type(uint128).max);
        PaymentSplit split = paid(terms, amount);

        vm.expectEmit(address(split));
        emit PaymentSplit.SplitDistributed(address(usdc), distributor, amount);
        split.distribute(terms, address(usdc), distributor);
    }

    function testFuzz_letsAnyoneCall(address caller) public {
        PaymentSplit split = paid(splitOfTwo(), 100e6);
        vm.prank(caller);
        split.distribute(splitOfTwo(), address(usdc), keeper);
        assertEq(usdc.balanceOf(address(split)), 0);
    }

    function test_holds_aBlockedRecipientsShare_andPaysTheOthers() public {
        PaymentSplit split = paid(splitOfThree(), 100e6);
        usdc.blacklist(treasury);

        vm.expectEmit(address(split));
        emit PaymentSplit.SplitDistributed(address(usdc), keeper, 100e6);
        vm.expectEmit(address(split));
        emit PaymentSplit.PayoutHeld(address(usdc), treasury, 10e6);
        split.distribute(splitOfThree(), address(usdc), keeper);

        assertEq(usdc.balanceOf(merchant), 50e6);
        assertEq(usdc.balanceOf(partner), 40e6);
        assertEq(split.held(address(usdc), treasury), 10e6);
        assertEq(split.totalHeld(address(usdc)), 10e6);
        assertEq(usdc.balanceOf(address(split)), 10e6);
    }

    function testFuzz_holds_exactlyWhatTheBlockedWouldHaveGot(uint256 seed, uint256 amount, uint16 blocked)
        public
    {
        Split memory terms = anySplit(seed);
        uint256 count = terms.recipients.length;
        vm.assume(count > 1);
        amount = _bound(amount, 1_000_000, type(uint128).max); // so that every floor is at least 1
        blocked = uint16(_bound(blocked, 0, 2 ** (count - 1) - 1) << 1); // never the merchant
        PaymentSplit split = paid(terms, amount);
        for (uint256 i = 0; i < count; i++) {
            if (blocked >> i & 1 == 1) usdc.blacklist(terms.recipients[i]);
        }
        vm.assume(!usdc.isBlacklisted(terms.recipients[0]));
        split.distribute(terms, address(usdc), address(0));

        for (uint256 i = 0; i < count; i++) {
            address recipient = terms.recipients[i];
            uint256 payout = payoutOf(terms, recipient, amount);
            bool isBlocked = usdc.isBlacklisted(recipient);
            assertEq(split.held(address(usdc), recipient), isBlocked ? payout : 0);
            assertEq(usdc.balanceOf(recipient), isBlocked ? 0 : payout);
        }
        assertEq(split.totalHeld(address(usdc)), usdc.balanceOf(address(split)));
        assertEq(split.distributable(address(usdc)), 0);
    }

    function test_holds_theMerchantsShare() public {
        PaymentSplit split = paid(splitOfThree(), 100e6);
        usdc.blacklist(merchant);
        split.distribute(splitOfThree(), address(usdc), address(0));
        assertEq(split.held(address(usdc), merchant), 50e6);
        assertEq(usdc.balanceOf(treasury), 10e6);
    }

    function test_leaves_whatIsHeld_whenMoreArrives() public {
        PaymentSplit split = paid(splitOfThree(), 100e6);
        usdc.blacklist(treasury);
        split.distribute(splitOfThree(), address(usdc), address(0));
        usdc.mint(address(split), 10e6);
        assertEq(split.distributable(address(usdc)), 10e6);

        vm.expectEmit(address(split));
        emit PaymentSplit.SplitDistributed(address(usdc), address(0), 10e6);
        split.distribute(splitOfThree(), address(usdc), address(0));
        assertEq(usdc.balanceOf(merchant), 55e6);
        assertEq(split.held(address(usdc), treasury), 11e6);
        assertEq(split.totalHeld(address(usdc)), 11e6);
        assertEq(usdc.balanceOf(address(split)), 11e6);
    }

    function test_leaves_otherTokensAlone() public {
        TestUSDT usdt = new TestUSDT(6);
        PaymentSplit split = paid(splitOfThree(), 100e6);
        usdt.mint(address(split), 7e6);
        usdc.blacklist(treasury);
        split.distribute(splitOfThree(), address(usdc), address(0));

        assertEq(split.distributable(address(usdt)), 7e6);
        assertEq(split.totalHeld(address(usdt)), 0);
    }

    function test_reverts_whenNothingArrived() public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.NothingToDistribute.selector, 0, 0));
        split.distribute(splitOfTwo(), address(usdc), keeper);
    }

    function test_reverts_whenOnlyHeldMoneyIsThere() public {
        PaymentSplit split = paid(splitOfThree(), 100e6);
        usdc.blacklist(treasury);
        split.distribute(splitOfThree(), address(usdc), keeper);

        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.NothingToDistribute.selector, 10e6, 10e6));
        split.distribute(splitOfThree(), address(usdc), keeper);
    }

    function test_reverts_withoutTrace_whenTheTokenIsPaused() public {
        PaymentSplit split = paid(splitOfTwo(), 100e6);
        usdc.pause();
        expectNoTrace(split, splitOfTwo(), address(0), PaymentSplit.AllPayoutsFailed.selector);
    }

    function test_reverts_withoutTrace_whenTheSplitIsBlocked() public {
        PaymentSplit split = paid(splitOfTwo(), 100e6);
        usdc.blacklist(address(split));
        expectNoTrace(split, splitOfTwo(), address(0), PaymentSplit.AllPayoutsFailed.selector);
    }

    function testFuzz_reverts_withoutTrace_whenEveryRecipientIsBlocked(uint256 seed) public {
        Split memory terms = anySplit(seed);
        PaymentSplit split = paid(terms, 100e6);
        for (uint256 i = 0; i < terms.recipients.length; i++) {
            usdc.blacklist(terms.recipients[i]);
        }
        expectNoTrace(split, terms, keeper, PaymentSplit.AllPayoutsFailed.selector);
        assertEq(usdc.balanceOf(keeper), 0);
    }

    function test_reverts_whenTheDistributorIsBlocked() public {
        PaymentSplit split = paid(splitOfTwo(), 100e6);
        usdc.blacklist(keeper);
        expectNoTrace(split, splitOfTwo(), keeper, PaymentSplit.IncentiveTransferFailed.selector);
    }

    /// @dev 0.1 % of 999 is less than one unit. No incentive is sent, so a blocked distributor does not matter.
    function test_sends_noIncentive_belowOneUnit() public {
        PaymentSplit split = paid(splitOfTwo(), 999);
        usdc.blacklist(keeper);
        split.distribute(splitOfTwo(), address(usdc), keeper);
        assertEq(usdc.balanceOf(merchant), 990 + 1);
    }

    /// @dev The merchant's share is one unit and cannot be paid. The other shares are zero, so no recipient is paid.
    function test_reverts_whenOnlyEmptySharesCouldBePaid() public {
        PaymentSplit split = paid(splitOfThree(), 1);
        usdc.blacklist(merchant);
        expectNoTrace(split, splitOfThree(), address(0), PaymentSplit.AllPayoutsFailed.selector);
    }

    function testFuzz_reverts_whenARecipientIsChanged(uint256 seed, address recipient) public {
        Split memory terms = anySplit(seed);
        PaymentSplit split = paid(terms, 100e6);
        uint256 which = draw(seed, "which") % terms.recipients.length;
        vm.assume(terms.recipients[which] != recipient);
        terms.recipients[which] = recipient;
        expectMismatch(split, terms);
    }

    function testFuzz_reverts_whenAllocationsAreChanged(uint256 seed) public {
        Split memory terms = anySplit(seed);
        vm.assume(terms.recipients.length > 1 && terms.allocations[0] > 1);
        PaymentSplit split = paid(terms, 100e6);
        terms.allocations[0] -= 1;
        terms.allocations[1] += 1;
        expectMismatch(split, terms);
    }

    function testFuzz_reverts_whenTheIncentiveIsChanged(uint256 seed, uint16 incentive) public {
        Split memory terms = anySplit(seed);
        vm.assume(terms.distributionIncentive != incentive);
        PaymentSplit split = paid(terms, 100e6);
        terms.distributionIncentive = incentive;
        expectMismatch(split, terms);
    }

    function testFuzz_reverts_whenTheScaleIsChanged(uint256 seed, uint256 totalAllocation) public {
        vm.assume(totalAllocation != 1_000_000);
        Split memory terms = anySplit(seed);
        PaymentSplit split = paid(terms, 100e6);
        terms.totalAllocation = totalAllocation;
        expectMismatch(split, terms);
    }

    function test_reverts_whenTheOrderIsChanged() public {
        PaymentSplit split = paid(splitOfTwo(), 100e6);
        Split memory terms = splitOfTwo();
        (terms.recipients[0], terms.recipients[1]) = (terms.recipients[1], terms.recipients[0]);
        (terms.allocations[0], terms.allocations[1]) = (terms.allocations[1], terms.allocations[0]);
        expectMismatch(split, terms);
    }

    /// @dev The implementation commits to no terms.
    function test_reverts_onTheImplementation() public {
        usdc.mint(factory.implementation(), 1e6);
        expectMismatch(PaymentSplit(factory.implementation()), splitOfTwo());
    }

    /// @dev Other contracts use the zero address for the native coin; a split treats it as a token without code.
    function test_reverts_forTheZeroAddress() public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.deal(address(split), 1 ether);
        vm.expectRevert();
        split.distribute(splitOfTwo(), address(0), keeper);
    }

    function test_reverts_forAnAddressWithoutCode() public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.expectRevert();
        split.distribute(splitOfTwo(), makeAddr("no token"), keeper);
    }

    function paid(Split memory terms, uint256 amount) private returns (PaymentSplit split) {
        split = createSplit(terms);
        usdc.mint(address(split), amount);
    }

    function expectMismatch(PaymentSplit split, Split memory terms) private {
        bytes32 given = keccak256(abi.encode(terms));
        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.SplitMismatch.selector, given, split.splitHash()));
        split.distribute(terms, address(usdc), keeper);
    }

    function expectNoTrace(PaymentSplit split, Split memory terms, address distributor, bytes4 reason)
        private
    {
        uint256 balance = usdc.balanceOf(address(split));
        vm.expectRevert(reason);
        split.distribute(terms, address(usdc), distributor);

        assertEq(usdc.balanceOf(address(split)), balance);
        assertEq(split.distributable(address(usdc)), balance);
        assertEq(split.totalHeld(address(usdc)), 0);
        assertEq(split.held(address(usdc), terms.recipients[0]), 0);
    }
}

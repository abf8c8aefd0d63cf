// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { Split } from "../src/Split.sol";
import { Purse } from "./accounts/Purse.sol";
import { SplitTest } from "./support/SplitTest.sol";
import { ReentrancyGuardTransient } from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @notice A split accepts native coin that arrives by mistake, and either pays all of it by the terms or moves
/// nothing.
contract NativeCoinTest is SplitTest {
    uint256 private constant AMOUNT = 1 ether;
    uint256[2] private ARC = [uint256(5042), 5_042_002];

    Purse private merchantsPurse = new Purse();
    Purse private treasurysPurse = new Purse();
    Purse private keepersPurse = new Purse();

    /// @dev The merchant, the treasury and the keeper have code; the partner has none.
    function setUp() public override {
        super.setUp();
        merchant = address(merchantsPurse);
        treasury = address(treasurysPurse);
        keeper = address(keepersPurse);
    }

    function testFuzz_takes_whateverIsSent(uint128 amount) public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.deal(address(this), amount);
        (bool isSent,) = address(split).call{ value: amount }("");
        assertTrue(isSent);
        assertEq(split.distributable(NATIVE_COIN), amount);
    }

    /// @dev A split's proxy must not call the implementation here, because access to the implementation's cold
    /// account alone costs 2600 gas.
    function test_takes_whatIsSentWith2300Gas() public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.deal(address(merchantsPurse), AMOUNT);
        merchantsPurse.transfer(payable(address(split)), AMOUNT);
        assertEq(address(split).balance, AMOUNT);
    }

    /// @dev Every transaction costs 21,000 gas, and the proxy 15, so a gas limit of exactly 21,000 is
    /// insufficient.
    function test_takes_it_for15GasMoreThanAnAccountWithoutCode() public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.deal(address(this), AMOUNT);
        (bool isSent,) = address(split).call{ value: AMOUNT }("");
        assertTrue(isSent);
        assertEq(vm.lastCallGas().gasTotalUsed, 21_000 + 15);
    }

    function test_refuses_itInACallThatMeansSomethingElse() public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.deal(address(this), AMOUNT);
        bytes[3] memory calls = [
            bytes("a note"),
            abi.encodeCall(PaymentSplit.distribute, (splitOfTwo(), NATIVE_COIN, address(0))),
            abi.encodeCall(PaymentSplit.splitHash, ())
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            (bool isSent,) = address(split).call{ value: AMOUNT }(calls[i]);
            assertFalse(isSent);
        }
    }

    /// @dev The implementation commits to no terms, so native coin that it accepted would be lost.
    function test_refuses_itOnTheImplementation() public {
        vm.deal(address(this), AMOUNT);
        (bool isSent,) = factory.implementation().call{ value: AMOUNT }("");
        assertFalse(isSent);
    }

    function test_pays_theSpecificationsExample() public {
        PaymentSplit split = paid(splitOfTwo(), AMOUNT);
        vm.expectEmit(address(split));
        emit PaymentSplit.SplitDistributed(NATIVE_COIN, keeper, AMOUNT);
        split.distribute(splitOfTwo(), NATIVE_COIN, keeper);

        assertEq(keeper.balance, 0.001 ether);
        assertEq(merchant.balance, 0.990_000_009 ether);
        assertEq(treasury.balance, 0.008_999_991 ether);
        assertEq(address(split).balance, 0);
    }

    function test_pays_whatArrivedBeforeTheSplitExisted() public {
        vm.deal(factory.predictDeterministicAddress(splitOfThree(), address(0), SALT), AMOUNT);
        usdc.mint(factory.predictDeterministicAddress(splitOfThree(), address(0), SALT), 100e6);
        address[] memory tokens = new address[](2);
        (tokens[0], tokens[1]) = (address(usdc), NATIVE_COIN);
        factory.createAndDistribute(splitOfThree(), SALT, tokens, address(0));
        assertEq(merchant.balance, AMOUNT / 2);
        assertEq(usdc.balanceOf(merchant), 50e6);
    }

    function testFuzz_pays_everyoneTheirFloor_andTheMerchantTheRest(uint256 seed, uint256 amount) public {
        Split memory terms = anySplit(seed);
        amount = _bound(amount, 1, type(uint128).max);
        PaymentSplit split = paid(terms, amount);
        address distributor = makeAddr("another keeper");
        split.distribute(terms, NATIVE_COIN, distributor);

        uint256 incentive = amount * terms.distributionIncentive / 1_000_000;
        assertEq(distributor.balance, incentive);
        for (uint256 i = 0; i < terms.recipients.length; i++) {
            address recipient = terms.recipients[i];
            assertEq(recipient.balance, payoutOf(terms, recipient, amount - incentive));
        }
        assertEq(address(split).balance, 0);
    }

    /// @dev For any failing recipient, in any position and manner, nothing moves and nothing is held.
    function testFuzz_moves_nothing_whenOneCannotBePaid(uint256 seed, uint256 amount, uint8 manner) public {
        Split memory terms = anySplit(seed);
        amount = _bound(amount, 1_000_000, type(uint128).max); // so that every floor is at least 1
        Purse purse = new Purse();
        purse.behave(Purse.Manner(_bound(manner, 1, 3)));
        terms.recipients[draw(seed, "which") % terms.recipients.length] = address(purse);
        PaymentSplit split = paid(terms, amount);

        // A recipient that burns all its gas leaves the split 1/64 of the remaining gas. With this limit, that
        // suffices for the revert even if all other recipients have been paid before.
        vm.expectPartialRevert(PaymentSplit.NativePayoutFailed.selector);
        split.distribute{ gas: 10_000_000 }(terms, NATIVE_COIN, address(0));
        assertEq(split.distributable(NATIVE_COIN), amount);
        for (uint256 i = 0; i < terms.recipients.length; i++) {
            assertEq(terms.recipients[i].balance, 0);
            assertEq(split.held(NATIVE_COIN, terms.recipients[i]), 0);
        }
        assertEq(split.totalHeld(NATIVE_COIN), 0);
    }

    function test_names_whoRefusesHowMuch() public {
        PaymentSplit split = paid(splitOfThree(), AMOUNT);
        treasurysPurse.behave(Purse.Manner.Refuses);
        vm.expectRevert(
            abi.encodeWithSelector(PaymentSplit.NativePayoutFailed.selector, treasury, AMOUNT / 10)
        );
        split.distribute(splitOfThree(), NATIVE_COIN, address(0));
    }

    function testFuzz_pays_theTokensOfTheSameSplit_whateverARecipientOfTheCoinDoes(uint8 manner) public {
        PaymentSplit split = paid(splitOfThree(), AMOUNT);
        usdc.mint(address(split), 100e6);
        treasurysPurse.behave(Purse.Manner(_bound(manner, 1, 4)));
        split.distribute(splitOfThree(), address(usdc), address(0));
        assertEq(usdc.balanceOf(merchant), 50e6);
        assertEq(usdc.balanceOf(treasury), 10e6);
        assertEq(split.totalHeld(address(usdc)), 0);
        assertEq(split.distributable(NATIVE_COIN), AMOUNT);
    }

    function test_leavesAlone_whatIsHeldOfAToken() public {
        PaymentSplit split = paid(splitOfThree(), AMOUNT);
        usdc.mint(address(split), 100e6);
        usdc.blacklist(treasury);
        split.distribute(splitOfThree(), address(usdc), address(0));
        split.distribute(splitOfThree(), NATIVE_COIN, address(0));
        assertEq(treasury.balance, AMOUNT / 10);
        assertEq(split.held(address(usdc), treasury), 10e6);
        assertEq(usdc.balanceOf(address(split)), 10e6);
    }

    /// @dev Building half a megabyte costs the recipient 523,000 gas. Copying the data would cost the split as much.
    function test_returnBomb_countsAsPaid_andItsDataIsNotCopied() public {
        PaymentSplit split = paid(splitOfThree(), AMOUNT);
        treasurysPurse.behave(Purse.Manner.ReturnsABomb);
        split.distribute(splitOfThree(), NATIVE_COIN, address(0));
        assertLt(vm.lastCallGas().gasTotalUsed, 523_000 + 200_000);
        assertEq(treasury.balance, AMOUNT / 10);
        assertEq(merchant.balance, AMOUNT / 2);
    }

    function test_revertBomb_isNotCopied() public {
        PaymentSplit split = paid(splitOfThree(), AMOUNT);
        treasurysPurse.behave(Purse.Manner.RevertsWithABomb);
        vm.expectPartialRevert(PaymentSplit.NativePayoutFailed.selector);
        split.distribute{ gas: 523_000 + 200_000 }(splitOfThree(), NATIVE_COIN, address(0));
    }

    function test_reverts_whenTheDistributorRefuses() public {
        PaymentSplit split = paid(splitOfTwo(), AMOUNT);
        keepersPurse.behave(Purse.Manner.Refuses);
        vm.expectRevert(PaymentSplit.IncentiveTransferFailed.selector);
        split.distribute(splitOfTwo(), NATIVE_COIN, keeper);
        assertEq(split.distributable(NATIVE_COIN), AMOUNT);

        split.distribute(splitOfTwo(), NATIVE_COIN, address(0));
        assertEq(address(split).balance, 0);
    }

    function test_reverts_whenNothingArrived() public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.expectRevert(abi.encodeWithSelector(PaymentSplit.NothingToDistribute.selector, 0, 0));
        split.distribute(splitOfTwo(), NATIVE_COIN, keeper);
    }

    function test_reverts_withOtherTerms() public {
        PaymentSplit split = paid(splitOfTwo(), AMOUNT);
        vm.expectPartialRevert(PaymentSplit.SplitMismatch.selector);
        split.distribute(splitOfThree(), NATIVE_COIN, keeper);
    }

    function testFuzz_holds_nothing(address recipient) public {
        PaymentSplit split = paid(splitOfTwo(), AMOUNT);
        vm.expectRevert(PaymentSplit.NothingHeld.selector);
        split.release(NATIVE_COIN, recipient);
    }

    /// @dev The treasury and the merchant call back. The treasury also returns 0.03 ether, which stays
    /// distributable.
    function test_reentrantCalls_areRefused() public {
        PaymentSplit split = paid(splitOfThree(), AMOUNT);
        usdc.mint(address(split), 100e6);
        bytes[] memory attacks = new bytes[](4);
        attacks[0] = abi.encodeCall(PaymentSplit.distribute, (splitOfThree(), NATIVE_COIN, treasury));
        attacks[1] = abi.encodeCall(PaymentSplit.distribute, (splitOfThree(), address(usdc), treasury));
        attacks[2] = abi.encodeCall(PaymentSplit.release, (NATIVE_COIN, treasury));
        attacks[3] = abi.encodeCall(PaymentSplit.release, (address(usdc), treasury));
        treasurysPurse.attack(address(split), attacks, 0.03 ether);
        merchantsPurse.attack(address(split), attacks, 0);
        split.distribute(splitOfThree(), NATIVE_COIN, address(0));

        assertEq(treasurysPurse.attempts() + merchantsPurse.attempts(), 2 * attacks.length);
        assertEq(treasurysPurse.successes() + merchantsPurse.successes(), 0);
        assertEq(treasurysPurse.lastError(), ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        assertEq(merchant.balance, AMOUNT / 2);
        assertEq(partner.balance, AMOUNT * 4 / 10);
        assertEq(treasury.balance, AMOUNT / 10 - 0.03 ether);
        assertEq(split.distributable(NATIVE_COIN), 0.03 ether);
        assertEq(usdc.balanceOf(address(split)), 100e6);
    }

    /// @dev On Arc the native coin is USDC, and held USDC must not be distributed as native coin.
    function test_isRefused_onArc_whereItIsAToken() public {
        PaymentSplit split = paid(splitOfTwo(), AMOUNT);
        usdc.mint(address(split), 100e6);
        for (uint256 i = 0; i < ARC.length; i++) {
            vm.chainId(ARC[i]);
            bytes memory refusal = abi.encodeWithSelector(PaymentSplit.NativeUnsupported.selector, ARC[i]);
            vm.expectRevert(refusal);
            split.distribute(splitOfTwo(), NATIVE_COIN, keeper);
            vm.expectRevert(refusal);
            split.distributable(NATIVE_COIN);
        }
        split.distribute(splitOfTwo(), address(usdc), address(0));
        assertEq(usdc.balanceOf(address(split)), 0);
    }

    /// @dev Payers on Arc can pay by sending native coin, even after the split's deployment.
    function test_isTaken_onArc() public {
        PaymentSplit split = createSplit(splitOfTwo());
        vm.chainId(ARC[0]);
        vm.deal(address(merchantsPurse), AMOUNT);
        merchantsPurse.transfer(payable(address(split)), AMOUNT);
        assertEq(address(split).balance, AMOUNT);
    }

    function paid(Split memory terms, uint256 amount) private returns (PaymentSplit split) {
        split = createSplit(terms);
        vm.deal(address(split), amount);
    }
}

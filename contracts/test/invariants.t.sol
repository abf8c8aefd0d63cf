// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { Split } from "../src/Split.sol";
import { Purse } from "./accounts/Purse.sol";
import { SplitHandler } from "./support/SplitHandler.sol";
import { SplitTest } from "./support/SplitTest.sol";

/// @notice Invariants after any sequence of payments, distributions, releases, blocks and pauses.
/// @dev The handler checks that each call succeeds, or fails for the expected reason.
contract InvariantsTest is SplitTest {
    SplitHandler private handler;
    PaymentSplit private split;
    Split private terms;

    /// @dev Four recipients, including the treasury twice; the partner's share is often less than one unit.
    function setUp() public override {
        super.setUp();
        (merchant, treasury, partner, keeper) = (purse(), purse(), purse(), purse());
        terms = emptySplit(4);
        (terms.recipients[0], terms.allocations[0]) = (merchant, 659_998);
        (terms.recipients[1], terms.allocations[1]) = (treasury, 9001);
        (terms.recipients[2], terms.allocations[2]) = (partner, 1);
        (terms.recipients[3], terms.allocations[3]) = (treasury, 331_000);
        terms.distributionIncentive = 1000;
        handler = new SplitHandler(factory, terms, SALT, keeper);
        split = handler.split();
        vm.deal(address(handler), type(uint128).max);
        targetContract(address(handler));
    }

    /// @dev Each account's paid and held amounts add up exactly to its share in the handler's model.
    function invariant_everyoneHasTheirShare_paidOrHeld() public view {
        address[4] memory accounts = [merchant, treasury, partner, keeper];
        address[] memory tokens = handler.tokens();
        for (uint256 t = 0; t < tokens.length; t++) {
            for (uint256 i = 0; i < accounts.length; i++) {
                uint256 has = handler.balanceOf(tokens[t], accounts[i]) + split.held(tokens[t], accounts[i]);
                assertEq(has, handler.due(tokens[t], accounts[i]));
            }
        }
    }

    function invariant_moneyIn_isMoneyOutAndMoneyHere() public view {
        address[] memory tokens = handler.tokens();
        for (uint256 t = 0; t < tokens.length; t++) {
            uint256 paidOut = handler.balanceOf(tokens[t], merchant) + handler.balanceOf(tokens[t], treasury)
                + handler.balanceOf(tokens[t], partner) + handler.balanceOf(tokens[t], keeper);
            assertEq(paidOut + handler.balanceOf(tokens[t], address(split)), handler.paidIn(tokens[t]));
        }
    }

    function invariant_totalHeld_isTheSumOfHeld_andBacked() public view {
        address[] memory tokens = handler.tokens();
        for (uint256 t = 0; t < tokens.length; t++) {
            uint256 sum = split.held(tokens[t], merchant) + split.held(tokens[t], treasury)
                + split.held(tokens[t], partner);
            assertEq(split.totalHeld(tokens[t]), sum);
            assertGe(handler.balanceOf(tokens[t], address(split)), sum);
        }
    }

    function invariant_distributable_isWhatWasNeverDistributed() public view {
        address[] memory tokens = handler.tokens();
        for (uint256 t = 0; t < tokens.length; t++) {
            uint256 left = handler.paidIn(tokens[t]) - handler.distributed(tokens[t]);
            assertEq(split.distributable(tokens[t]), left);
        }
    }

    function invariant_termsAndAddress_neverChange() public view {
        assertEq(split.splitHash(), keccak256(abi.encode(terms)));
        assertEq(factory.predictDeterministicAddress(terms, address(0), SALT), address(split));
    }

    /// @dev A distribution of native coin pays all recipients or none.
    function invariant_nothingIsEverHeldOfTheNativeCoin() public view {
        assertEq(split.totalHeld(NATIVE_COIN), 0);
        assertEq(split.distributable(NATIVE_COIN), address(split).balance);
    }

    function purse() private returns (address) {
        return address(new Purse());
    }
}

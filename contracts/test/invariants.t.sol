// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { Split } from "../src/Split.sol";
import { SplitHandler } from "./support/SplitHandler.sol";
import { SplitTest } from "./support/SplitTest.sol";
import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice What holds after any sequence of payments, distributions, releases, blocks and pauses.
/// @dev That a distribution fails only for the reason it should is checked by the handler, call by call.
contract InvariantsTest is SplitTest {
    SplitHandler private handler;
    PaymentSplit private split;
    Split private terms;

    /// @dev Four recipients, the treasury twice among them; the partner's share is often less than a unit.
    function setUp() public override {
        super.setUp();
        terms = emptySplit(4);
        (terms.recipients[0], terms.allocations[0]) = (merchant, 659_998);
        (terms.recipients[1], terms.allocations[1]) = (treasury, 9001);
        (terms.recipients[2], terms.allocations[2]) = (partner, 1);
        (terms.recipients[3], terms.allocations[3]) = (treasury, 331_000);
        terms.distributionIncentive = 1000;
        handler = new SplitHandler(factory, terms, SALT, keeper);
        split = handler.split();
        targetContract(address(handler));
    }

    /// @dev Every account has, paid or held, exactly what the plain rule gives it.
    function invariant_everyoneHasTheirShare_paidOrHeld() public view {
        address[4] memory accounts = [merchant, treasury, partner, keeper];
        address[] memory tokens = handler.tokens();
        for (uint256 t = 0; t < tokens.length; t++) {
            for (uint256 i = 0; i < accounts.length; i++) {
                uint256 has = IERC20(tokens[t]).balanceOf(accounts[i]) + split.held(tokens[t], accounts[i]);
                assertEq(has, handler.due(tokens[t], accounts[i]));
            }
        }
    }

    function invariant_moneyIn_isMoneyOutAndMoneyHere() public view {
        address[] memory tokens = handler.tokens();
        for (uint256 t = 0; t < tokens.length; t++) {
            uint256 paidOut = IERC20(tokens[t]).balanceOf(merchant) + IERC20(tokens[t]).balanceOf(treasury)
                + IERC20(tokens[t]).balanceOf(partner) + IERC20(tokens[t]).balanceOf(keeper);
            assertEq(paidOut + IERC20(tokens[t]).balanceOf(address(split)), handler.paidIn(tokens[t]));
        }
    }

    function invariant_totalHeld_isTheSumOfHeld_andBacked() public view {
        address[] memory tokens = handler.tokens();
        for (uint256 t = 0; t < tokens.length; t++) {
            uint256 sum = split.held(tokens[t], merchant) + split.held(tokens[t], treasury)
                + split.held(tokens[t], partner);
            assertEq(split.totalHeld(tokens[t]), sum);
            assertGe(IERC20(tokens[t]).balanceOf(address(split)), sum);
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
}

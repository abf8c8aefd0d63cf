// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { Split } from "../src/Split.sol";
import { SplitTest } from "./support/SplitTest.sol";

/// @notice Compares payouts on chain with a charge's fixed percents. `allocate` reimplements the rule of
/// shared/domain/allocation.ts.
contract AllocationTest is SplitTest {
    /// @dev Fee and incentive are in millionths of the amount, percents in 10⁻¹⁴ of the amount after the fee.
    struct Terms {
        uint256 fee;
        uint256 incentive;
        uint256[] percents;
    }

    uint256 private constant MILLION = 1e6;
    uint256 private constant WHOLE = 1e14;

    function test_allocates_theSpecificationsExample() public view {
        (Split memory split,) = allocate(Terms(10_000, 1000, new uint256[](0)));
        assertEq(split.allocations[0], 990_991);
        assertEq(split.allocations[1], 9009);
    }

    function testFuzz_paysEveryoneTheirFrozenShare(uint256 seed, uint256 amount) public {
        amount = _bound(amount, 1, 1e36);
        Terms memory terms = anyTerms(seed);
        (Split memory split, uint256 raised) = allocate(terms);
        PaymentSplit deployed = createSplit(split);
        usdc.mint(address(deployed), amount);
        deployed.distribute(split, address(usdc), keeper);
        uint256 pot = amount - usdc.balanceOf(keeper);

        // The merchant gets at least the exact share, minus a millionth of the pot for each share raised from
        // zero.
        uint256 exact = amount * (MILLION - terms.fee) * (WHOLE - sum(terms.percents));
        assertGe(usdc.balanceOf(merchant) * MILLION * WHOLE + raised * pot * WHOLE, exact);

        // The treasury gets at least its exact share, minus a millionth of the pot and one atomic unit.
        exact = amount * (terms.fee - terms.incentive);
        assertGe((usdc.balanceOf(treasury) + 1) * MILLION + pot, exact);

        // Every other recipient may lose a millionth of the amount and one atomic unit per entry in `percents`.
        // One recipient can have two entries.
        for (uint256 i = 0; i < terms.percents.length; i++) {
            expectFrozenShare({ terms: terms, split: split, entry: i, amount: amount });
        }
    }

    function expectFrozenShare(Terms memory terms, Split memory split, uint256 entry, uint256 amount)
        private
        view
    {
        uint256 firstEntry = split.recipients.length - terms.percents.length;
        address recipient = split.recipients[firstEntry + entry];
        uint256 exact = 0;
        uint256 entries = 0;
        for (uint256 i = 0; i < terms.percents.length; i++) {
            if (split.recipients[firstEntry + i] != recipient) continue;
            exact += amount * (MILLION - terms.fee) * terms.percents[i];
            entries++;
        }
        uint256 tolerance = entries * (amount + MILLION) * WHOLE;
        assertGe(usdc.balanceOf(recipient) * MILLION * WHOLE + tolerance, exact);
    }

    /// @dev Rounds all shares down, but at least to one millionth. The merchant gets the rest (decisions 1.7).
    function allocate(Terms memory terms) private view returns (Split memory split, uint256 raised) {
        uint256 treasuries = terms.fee > terms.incentive ? 1 : 0;
        split = emptySplit(1 + treasuries + terms.percents.length);
        split.distributionIncentive = uint16(terms.incentive);
        split.recipients[0] = merchant;
        split.allocations[0] = MILLION;
        uint256 scale = MILLION - terms.incentive;
        for (uint256 i = 1; i < split.recipients.length; i++) {
            bool isTreasury = i == treasuries;
            split.recipients[i] = isTreasury ? treasury : recipientOf(terms, i - 1 - treasuries);
            split.allocations[i] = isTreasury
                ? (terms.fee - terms.incentive) * MILLION / scale
                : (MILLION - terms.fee) * terms.percents[i - 1 - treasuries] * MILLION / (WHOLE * scale);
            if (split.allocations[i] == 0) {
                split.allocations[i] = 1;
                raised++;
            }
            split.allocations[0] -= split.allocations[i];
        }
    }

    /// @dev If there are five percents, the last and the first have the same recipient.
    function recipientOf(Terms memory terms, uint256 index) private pure returns (address) {
        bool isRepeated = terms.percents.length == 5 && index == 4;
        return address(uint160(0x10000 + (isRepeated ? 0 : index)));
    }

    /// @dev Returns terms with a fee of 0 to 20 %, an incentive of at most the fee and at most 5 %, and up to
    /// five percents with a sum of at most 70 % plus 4 × 10⁻¹⁴.
    function anyTerms(uint256 seed) private pure returns (Terms memory terms) {
        terms.fee = _bound(draw(seed, "fee"), 0, 200_000);
        terms.incentive = _bound(draw(seed, "incentive"), 0, terms.fee < 50_000 ? terms.fee : 50_000);
        terms.percents = new uint256[](_bound(draw(seed, "count"), 0, 5));
        uint256 left = WHOLE * 7 / 10;
        for (uint256 i = 0; i < terms.percents.length; i++) {
            // Half of the percents are tiny, so that shares of zero millionths occur.
            uint256 most = draw(seed, i + 100) % 2 == 0 ? left : 100_000_000;
            terms.percents[i] = _bound(draw(seed, i), 1, most < left ? most : left);
            left -= terms.percents[i];
            if (left == 0) left = 1;
        }
    }

    function sum(uint256[] memory values) private pure returns (uint256 total) {
        for (uint256 i = 0; i < values.length; i++) {
            total += values[i];
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../src/PaymentSplit.sol";
import { Split } from "../src/Split.sol";
import { SplitTest } from "./support/SplitTest.sol";

/// @notice Gas of payout transactions, including intrinsic gas and refunds (`isolate` in foundry.toml). The token
/// is USDC, every recipient already holds some, and a keeper receives the incentive.
/// @dev `.gas-snapshot` contains only these tests, because the cost of fuzz tests is not constant.
contract GasTest is SplitTest {
    /// @dev The limits of `createAndDistribute` are the first version's gas, measured on 2026-11-20. The gas of
    /// 0xSplits v2.2 Push is 213,940.
    function test_createAndDistribute_twoRecipients() public {
        assertLe(createAndDistribute(2), 143_734);
    }

    /// @dev The gas of 0xSplits v2.2 Push is 229,766.
    function test_createAndDistribute_threeRecipients() public {
        assertLe(createAndDistribute(3), 158_844);
    }

    /// @dev The gas of 0xSplits v2.2 Push is 293,011.
    function test_createAndDistribute_sevenRecipients() public {
        assertLe(createAndDistribute(7), 219_272);
    }

    function test_distribute_again_twoRecipients() public {
        Split memory split = paidSplit(2);
        PaymentSplit deployed = createSplit(split);
        deployed.distribute(split, address(usdc), keeper);
        usdc.mint(address(deployed), 100e6);

        deployed.distribute(split, address(usdc), keeper);
        assertLe(vm.lastCallGas().gasTotalUsed, 80_000);
    }

    function test_release() public {
        Split memory split = paidSplit(2);
        PaymentSplit deployed = createSplit(split);
        usdc.blacklist(split.recipients[1]);
        deployed.distribute(split, address(usdc), keeper);
        usdc.unBlacklist(split.recipients[1]);

        deployed.release(address(usdc), split.recipients[1]);
        assertLe(vm.lastCallGas().gasTotalUsed, 60_000);
    }

    function createAndDistribute(uint256 recipients) private returns (uint256 gas) {
        Split memory split = paidSplit(recipients);
        address[] memory tokens = new address[](1);
        tokens[0] = address(usdc);

        factory.createAndDistribute(split, SALT, tokens, keeper);
        gas = vm.lastCallGas().gasTotalUsed;
        emit log_named_uint("gas of createAndDistribute", gas);
    }

    /// @dev Puts 100 USDC at the address of a split whose recipients and keeper already hold USDC.
    function paidSplit(uint256 recipients) private returns (Split memory split) {
        split = emptySplit(recipients);
        for (uint256 i = 0; i < recipients; i++) {
            split.recipients[i] = makeAddr(string.concat("recipient ", vm.toString(i)));
            split.allocations[i] = i == 0 ? 1_000_000 - 9009 * (recipients - 1) : 9009;
            usdc.mint(split.recipients[i], 5e6);
        }
        split.distributionIncentive = 1000;
        usdc.mint(keeper, 5e6);
        usdc.mint(factory.predictDeterministicAddress(split, address(0), SALT), 100e6);
    }
}

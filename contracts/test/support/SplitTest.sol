// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "../../src/PaymentSplit.sol";
import { PaymentSplitFactory } from "../../src/PaymentSplitFactory.sol";
import { MAX_DISTRIBUTION_INCENTIVE, MAX_RECIPIENTS, Split, TOTAL_ALLOCATION } from "../../src/Split.sol";
import { TestUSDC } from "../tokens/TestUSDC.sol";
import { Test } from "forge-std/Test.sol";

/// @notice Common fixture: the factory at its real address, a token, and functions that create splits.
abstract contract SplitTest is Test {
    address internal constant DEPLOYMENT_PROXY = 0x4e59b44847b379578588920cA78FbF26c0B4956C;

    /// @dev Runtime code of https://github.com/Arachnid/deterministic-deployment-proxy.
    bytes internal constant DEPLOYMENT_PROXY_CODE =
        hex"7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

    address internal constant NATIVE_COIN = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

    bytes32 internal constant SALT = keccak256("a charge id");

    address internal merchant = makeAddr("merchant");
    address internal treasury = makeAddr("treasury");
    address internal partner = makeAddr("partner");
    address internal keeper = makeAddr("keeper");

    PaymentSplitFactory internal factory;
    TestUSDC internal usdc;

    function setUp() public virtual {
        factory = deployFactory();
        usdc = new TestUSDC(6);
    }

    /// @dev Deploys the factory as any account can on a real network.
    function deployFactory() internal virtual returns (PaymentSplitFactory) {
        vm.etch(DEPLOYMENT_PROXY, DEPLOYMENT_PROXY_CODE);
        (bool isDeployed, bytes memory deployed) =
            DEPLOYMENT_PROXY.call(bytes.concat(bytes32(0), type(PaymentSplitFactory).creationCode));
        assertTrue(isDeployed);
        return PaymentSplitFactory(address(bytes20(deployed)));
    }

    function createSplit(Split memory split) internal returns (PaymentSplit) {
        return createSplit(split, SALT);
    }

    function createSplit(Split memory split, bytes32 salt) internal returns (PaymentSplit) {
        return PaymentSplit(factory.createSplitDeterministic(split, address(0), address(this), salt));
    }

    /// @dev The specification's example: fee 1 %, incentive 0.1 %.
    function splitOfTwo() internal view returns (Split memory split) {
        split = emptySplit(2);
        (split.recipients[0], split.allocations[0]) = (merchant, 990_991);
        (split.recipients[1], split.allocations[1]) = (treasury, 9009);
        split.distributionIncentive = 1000;
    }

    /// @dev Half to the merchant, a tenth to the treasury, the rest to a partner; no incentive.
    function splitOfThree() internal view returns (Split memory split) {
        split = emptySplit(3);
        (split.recipients[0], split.allocations[0]) = (merchant, 500_000);
        (split.recipients[1], split.allocations[1]) = (treasury, 100_000);
        (split.recipients[2], split.allocations[2]) = (partner, 400_000);
    }

    function emptySplit(uint256 count) internal pure returns (Split memory split) {
        split.recipients = new address[](count);
        split.allocations = new uint256[](count);
        split.totalAllocation = TOTAL_ALLOCATION;
    }

    /// @dev Returns a valid split with 1 to 16 recipients. For one seed in four, if there are at least three
    /// recipients, the last one repeats an earlier one.
    function anySplit(uint256 seed) internal pure returns (Split memory split) {
        uint256 count = _bound(draw(seed, "count"), 1, MAX_RECIPIENTS);
        split = emptySplit(count);
        uint256 left = TOTAL_ALLOCATION;
        for (uint256 i = count - 1; i > 0; i--) {
            split.allocations[i] = _bound(draw(seed, i), 1, left - i);
            left -= split.allocations[i];
        }
        split.allocations[0] = left;
        for (uint256 i = 0; i < count; i++) {
            split.recipients[i] = address(uint160(draw(seed, "recipient") + i));
        }
        if (seed % 4 == 0) split.recipients[count - 1] = split.recipients[count / 2];
        split.distributionIncentive = uint16(_bound(draw(seed, "incentive"), 0, MAX_DISTRIBUTION_INCENTIVE));
    }

    function draw(uint256 seed, uint256 index) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, index)));
    }

    function draw(uint256 seed, string memory name) internal pure returns (uint256) {
        return uint256(keccak256(abi.encode(seed, name)));
    }

    /// @dev Returns the share of `pot` of the recipient at `index`. As in the contract, every share but the first is
    /// rounded down, and the first is the rest.
    function shareOf(Split memory split, uint256 index, uint256 pot) internal pure returns (uint256 share) {
        if (index > 0) return pot * split.allocations[index] / TOTAL_ALLOCATION;
        share = pot;
        for (uint256 i = 1; i < split.recipients.length; i++) {
            share -= shareOf(split, i, pot);
        }
    }

    /// @dev Returns the sum of a recipient's shares of `pot`, because an address can be listed twice.
    function payoutOf(Split memory split, address recipient, uint256 pot)
        internal
        pure
        returns (uint256 payout)
    {
        for (uint256 i = 0; i < split.recipients.length; i++) {
            if (split.recipients[i] == recipient) payout += shareOf(split, i, pot);
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplitFactory } from "../src/PaymentSplitFactory.sol";
import {
    AllocationCountMismatch,
    AllocationOutOfRange,
    AllocationSumMismatch,
    IncentiveTooHigh,
    RecipientCountOutOfRange,
    Split,
    TotalAllocationMismatch,
    ZeroRecipient
} from "../src/Split.sol";
import { SplitTest } from "./support/SplitTest.sol";

/// @notice `predictDeterministicAddress`: the address that a charge shows before any deployment.
contract PredictTest is SplitTest {
    string private constant CONSTANTS = "contracts/artifacts/split-constants.json";
    string private constant PINNED = "contracts/pinned-addresses.json";

    /// @dev If this test fails, the code would predict other addresses for all existing charges.
    function test_factory_isAtTheAddressChargesWereMadeWith() public view {
        string memory json = vm.readFile(PINNED);
        assertEq(address(factory), vm.parseJsonAddress(json, ".factoryAddress"));
        assertEq(factory.implementation(), vm.parseJsonAddress(json, ".implementationAddress"));
    }

    function test_factory_isWhatTheCommittedConstantsSay() public view {
        string memory json = vm.readFile(CONSTANTS);
        assertEq(address(factory), vm.parseJsonAddress(json, ".factoryAddress"));
        assertEq(address(factory).codehash, vm.parseJsonBytes32(json, ".factoryRuntimeCodeHash"));
        assertEq(
            keccak256(type(PaymentSplitFactory).creationCode),
            vm.parseJsonBytes32(json, ".factoryInitCodeHash")
        );
        assertEq(factory.implementation(), vm.parseJsonAddress(json, ".implementationAddress"));
        assertEq(
            factory.implementation().codehash, vm.parseJsonBytes32(json, ".implementationRuntimeCodeHash")
        );
    }

    function test_equals_whatTypeScriptPredicts() public {
        string memory json = vm.readFile(CONSTANTS);
        Split memory split;
        split.recipients = vm.parseJsonAddressArray(json, ".example.split.recipients");
        split.allocations = vm.parseJsonUintArray(json, ".example.split.allocations");
        split.totalAllocation = vm.parseJsonUint(json, ".example.split.totalAllocation");
        split.distributionIncentive = uint16(vm.parseJsonUint(json, ".example.split.distributionIncentive"));
        bytes32 salt = vm.parseJsonBytes32(json, ".example.salt");

        address predicted = factory.predictDeterministicAddress(split, address(0), salt);
        assertEq(predicted, vm.parseJsonAddress(json, ".example.address"));
        assertEq(createSplit(split, salt).splitHash(), vm.parseJsonBytes32(json, ".example.splitHash"));
    }

    function testFuzz_equals_whatIsDeployed_onAnyChain(uint256 seed, bytes32 salt, uint64 chainId) public {
        Split memory split = anySplit(seed);
        address predicted = factory.predictDeterministicAddress(split, address(0), salt);
        vm.chainId(_bound(chainId, 1, type(uint64).max - 1));

        address deployed = factory.createSplitDeterministic(split, address(0), address(this), salt);
        assertEq(predicted, deployed);
        assertEq(predicted, factory.predictDeterministicAddress(split, address(0), salt));
    }

    function testFuzz_differs_whenAnythingDiffers(uint256 seed, bytes32 salt, bytes32 otherSalt) public view {
        vm.assume(salt != otherSalt);
        Split memory split = anySplit(seed);
        address predicted = factory.predictDeterministicAddress(split, address(0), salt);
        assertNotEq(predicted, factory.predictDeterministicAddress(split, address(0), otherSalt));

        split.recipients[draw(seed, "which") % split.recipients.length] = merchant;
        assertNotEq(predicted, factory.predictDeterministicAddress(split, address(0), salt));
    }

    function testFuzz_reverts_whenAnOwnerIsGiven(address owner) public {
        vm.assume(owner != address(0));
        vm.expectRevert(abi.encodeWithSelector(PaymentSplitFactory.OwnerUnsupported.selector, owner));
        factory.predictDeterministicAddress(splitOfTwo(), owner, SALT);
    }

    function test_allows_sixteenRecipients() public view {
        factory.predictDeterministicAddress(equalSplit(16), address(0), SALT);
    }

    function test_reverts_withSeventeenRecipients() public {
        expectInvalid(equalSplit(17), abi.encodeWithSelector(RecipientCountOutOfRange.selector, 17, 16));
    }

    function test_reverts_withoutRecipients() public {
        expectInvalid(emptySplit(0), abi.encodeWithSelector(RecipientCountOutOfRange.selector, 0, 16));
    }

    function test_reverts_withoutAnyAllocation() public {
        Split memory split = splitOfTwo();
        split.allocations = new uint256[](0);
        expectInvalid(split, abi.encodeWithSelector(AllocationCountMismatch.selector, 0, 2));
    }

    function test_reverts_withAnAllocationTooMany() public {
        Split memory split = splitOfTwo();
        split.allocations = new uint256[](3);
        (split.allocations[0], split.allocations[1], split.allocations[2]) = (990_991, 9009, 1);
        expectInvalid(split, abi.encodeWithSelector(AllocationCountMismatch.selector, 3, 2));
    }

    function testFuzz_reverts_withAZeroAddress(uint256 seed) public {
        Split memory split = anySplit(seed);
        uint256 which = draw(seed, "which") % split.recipients.length;
        split.recipients[which] = address(0);
        expectInvalid(split, abi.encodeWithSelector(ZeroRecipient.selector, which));
    }

    function test_reverts_withAZeroAllocation() public {
        Split memory split = splitOfTwo();
        (split.allocations[0], split.allocations[1]) = (1_000_000, 0);
        expectInvalid(split, abi.encodeWithSelector(AllocationOutOfRange.selector, 1, 0, 1_000_000));
    }

    function testFuzz_reverts_whenAllocationsDoNotAddUp(uint256 seed, uint256 allocation) public {
        Split memory split = anySplit(seed);
        uint256 which = draw(seed, "which") % split.recipients.length;
        vm.assume(split.allocations[which] != allocation);
        uint256 sum = 1_000_000 - split.allocations[which];
        split.allocations[which] = allocation;
        bytes memory reason = allocation == 0 || allocation > 1_000_000
            ? abi.encodeWithSelector(AllocationOutOfRange.selector, which, allocation, 1_000_000)
            : abi.encodeWithSelector(AllocationSumMismatch.selector, sum + allocation, 1_000_000);
        expectInvalid(split, reason);
    }

    function test_reverts_whenAllocationsAddUpOnlyByOverflow() public {
        Split memory split = splitOfTwo();
        (split.allocations[0], split.allocations[1]) = (type(uint256).max, 1_000_001);
        expectInvalid(
            split, abi.encodeWithSelector(AllocationOutOfRange.selector, 0, type(uint256).max, 1_000_000)
        );
    }

    function testFuzz_reverts_onAnotherScale(uint256 seed, uint256 totalAllocation) public {
        vm.assume(totalAllocation != 1_000_000);
        Split memory split = anySplit(seed);
        split.totalAllocation = totalAllocation;
        expectInvalid(
            split, abi.encodeWithSelector(TotalAllocationMismatch.selector, totalAllocation, 1_000_000)
        );
    }

    function test_reverts_whenAllocationsAddUpToAnotherScale() public {
        Split memory split = splitOfTwo();
        (split.allocations[0], split.allocations[1]) = (990_990, 9009);
        split.totalAllocation = 999_999;
        expectInvalid(split, abi.encodeWithSelector(TotalAllocationMismatch.selector, 999_999, 1_000_000));
    }

    function test_allows_anIncentiveOfFivePercent() public view {
        Split memory split = splitOfTwo();
        split.distributionIncentive = 50_000;
        factory.predictDeterministicAddress(split, address(0), SALT);
    }

    function testFuzz_reverts_withAnIncentiveOverFivePercent(uint16 incentive) public {
        Split memory split = splitOfTwo();
        split.distributionIncentive = uint16(_bound(incentive, 50_001, type(uint16).max));
        expectInvalid(
            split, abi.encodeWithSelector(IncentiveTooHigh.selector, split.distributionIncentive, 50_000)
        );
    }

    function expectInvalid(Split memory split, bytes memory reason) private {
        vm.expectRevert(reason);
        factory.predictDeterministicAddress(split, address(0), SALT);
    }

    function equalSplit(uint256 count) private pure returns (Split memory split) {
        split = emptySplit(count);
        for (uint256 i = 0; i < count; i++) {
            split.recipients[i] = address(uint160(0x1000 + i));
            split.allocations[i] = 1_000_000 / count + (i == 0 ? 1_000_000 % count : 0);
        }
    }
}

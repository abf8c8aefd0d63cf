// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "./PaymentSplit.sol";
import { Split, hashSplit, isValidSplit } from "./Split.sol";
import { Clones } from "@openzeppelin/contracts/proxy/Clones.sol";

/// @title PaymentSplitFactory
/// @notice Makes payment splits at addresses that follow from their terms and a salt alone.
/// @dev No constructor arguments, no owner, no chain id: deployed through the deterministic deployment proxy
/// (0x4e59b44847b379578588920cA78FbF26c0B4956C) it has one address on every EVM network, and so has a split.
/// `createSplitDeterministic` and `SplitCreated` are those of 0xSplits v2.2.
contract PaymentSplitFactory {
    /// @notice The code every split runs.
    address public immutable implementation = address(new PaymentSplit());

    /// @notice A split was deployed. `owner` is always zero; `creator` is whatever the caller said.
    event SplitCreated(
        address indexed split, Split splitParams, address owner, address creator, bytes32 salt
    );

    /// @notice A split with an owner could be changed; these cannot.
    error OwnerUnsupported();
    /// @notice The terms have no address: see `isValidSplit` for the rules.
    error InvalidSplit();

    /// @notice Deploys a split; if it is there already, does nothing.
    /// @param owner must be zero
    /// @param creator is only told in the event
    /// @return the split's address
    function createSplitDeterministic(Split calldata split, address owner, address creator, bytes32 salt)
        external
        returns (address)
    {
        // Check that nobody expects to own it.
        if (owner != address(0)) revert OwnerUnsupported();

        return _createSplit(split, creator, salt);
    }

    /// @notice Deploys a split if it is not there yet, and distributes each of the tokens: all of it, or nothing.
    /// @param distributor who gets the incentive; zero: nobody
    /// @return created the split's address
    function createAndDistribute(
        Split calldata split,
        bytes32 salt,
        address[] calldata tokens,
        address distributor
    ) external returns (address created) {
        created = _createSplit(split, msg.sender, salt);
        for (uint256 i = 0; i < tokens.length; i++) {
            PaymentSplit(payable(created)).distribute(split, tokens[i], distributor);
        }
    }

    /// @notice The address of a split, deployed or not; reverts for terms that can never be deployed.
    /// @param owner must be zero
    function predictDeterministicAddress(Split calldata split, address owner, bytes32 salt)
        external
        view
        returns (address)
    {
        // Check that nobody expects to own it.
        if (owner != address(0)) revert OwnerUnsupported();

        return _predict(_cloneArguments(split), salt);
    }

    function _createSplit(Split calldata split, address creator, bytes32 salt)
        private
        returns (address created)
    {
        bytes memory args = _cloneArguments(split);
        created = _predict(args, salt);
        if (created.code.length > 0) return created;

        emit SplitCreated({
            split: created, splitParams: split, owner: address(0), creator: creator, salt: salt
        });
        Clones.cloneDeterministicWithImmutableArgs(implementation, args, salt);
    }

    function _predict(bytes memory args, bytes32 salt) private view returns (address) {
        return Clones.predictDeterministicAddressWithImmutableArgs(implementation, args, salt);
    }

    /// @dev The 32 bytes at the end of a split's code.
    function _cloneArguments(Split calldata split) private pure returns (bytes memory) {
        // Check that the terms can be paid out.
        if (!isValidSplit(split)) revert InvalidSplit();

        return abi.encode(hashSplit(split));
    }
}

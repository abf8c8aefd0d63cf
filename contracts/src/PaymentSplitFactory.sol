// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "./PaymentSplit.sol";
import { Split, hashSplit, requireValidSplit } from "./Split.sol";
import { splitProxyCreationCode } from "./SplitProxy.sol";
import { Create2 } from "@openzeppelin/contracts/utils/Create2.sol";

/// @title PaymentSplitFactory
/// @notice Makes payment splits at addresses that follow from their terms and a salt alone.
/// @dev No constructor arguments, no owner, no chain id: deployed through the deterministic deployment proxy
/// (0x4e59b44847b379578588920cA78FbF26c0B4956C) it has one address on every EVM network, and so has a split.
/// `createSplitDeterministic` and `SplitCreated` are those of 0xSplits v2.2.
contract PaymentSplitFactory {
    /// @notice The code every split runs.
    address public immutable implementation = address(new PaymentSplit());

    /// @notice A split was deployed.
    /// @param split its address
    /// @param splitParams the terms that it commits to
    /// @param owner always zero
    /// @param creator whatever the caller said
    /// @param salt what tells it from other splits of the same terms
    event SplitCreated(
        address indexed split, Split splitParams, address owner, address creator, bytes32 salt
    );

    /// @notice A split with an owner could be changed; these cannot.
    /// @param owner what was given; only zero is taken
    error OwnerUnsupported(address owner);

    /// @notice Deploys a split; if it is there already, does nothing.
    /// @param split the terms
    /// @param owner must be zero
    /// @param creator is only told in the event
    /// @param salt what tells it from other splits of the same terms
    /// @return the split's address
    function createSplitDeterministic(Split calldata split, address owner, address creator, bytes32 salt)
        external
        returns (address)
    {
        // Check that nobody expects to own it.
        if (owner != address(0)) revert OwnerUnsupported(owner);

        return _createSplit(split, creator, salt);
    }

    /// @notice Deploys a split if it is not there yet, and distributes each of the tokens: all of it, or nothing.
    /// @param split the terms
    /// @param salt what tells it from other splits of the same terms
    /// @param tokens the ERC-20s to distribute, or 0xEeee…EEeE for the native coin
    /// @param distributor who gets the incentive; zero, or the split: nobody
    /// @return created the split's address
    function createAndDistribute(
        Split calldata split,
        bytes32 salt,
        address[] calldata tokens,
        address distributor
    ) external returns (address created) {
        created = _createSplit(split, msg.sender, salt);
        for (uint256 i = 0; i < tokens.length; i++) {
            PaymentSplit(created).distribute(split, tokens[i], distributor);
        }
    }

    /// @notice The address of a split, deployed or not; reverts for terms that can never be deployed.
    /// @param split the terms
    /// @param owner must be zero
    /// @param salt what tells it from other splits of the same terms
    /// @return the split's address
    function predictDeterministicAddress(Split calldata split, address owner, bytes32 salt)
        external
        view
        returns (address)
    {
        // Check that nobody expects to own it.
        if (owner != address(0)) revert OwnerUnsupported(owner);

        return Create2.computeAddress(salt, keccak256(_creationCode(split)));
    }

    /// @dev Deploys a split if it is not there yet.
    /// @param split the terms
    /// @param creator is only told in the event
    /// @param salt what tells it from other splits of the same terms
    /// @return created the split's address
    function _createSplit(Split calldata split, address creator, bytes32 salt)
        private
        returns (address created)
    {
        bytes memory code = _creationCode(split);
        created = Create2.computeAddress(salt, keccak256(code));
        if (created.code.length > 0) return created;

        emit SplitCreated({
            split: created, splitParams: split, owner: address(0), creator: creator, salt: salt
        });
        Create2.deploy(0, salt, code);
    }

    /// @dev The code whose hash makes a split's address; reverts for terms that cannot be paid out.
    /// @param split the terms
    /// @return what CREATE2 runs
    function _creationCode(Split calldata split) private view returns (bytes memory) {
        requireValidSplit(split);
        return splitProxyCreationCode(implementation, hashSplit(split));
    }
}

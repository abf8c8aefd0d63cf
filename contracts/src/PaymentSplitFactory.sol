// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { PaymentSplit } from "./PaymentSplit.sol";
import { Split, hashSplit, requireValidSplit } from "./Split.sol";
import { splitProxyCreationCode } from "./SplitProxy.sol";
import { Create2 } from "@openzeppelin/contracts/utils/Create2.sol";

/// @title PaymentSplitFactory
/// @notice Deploys payment splits at addresses that depend only on their terms and a salt.
/// @dev The factory has no constructor arguments, owner or chain id. If it is deployed through the deterministic
/// deployment proxy (0x4e59b44847b379578588920cA78FbF26c0B4956C), the factory and each split have the same
/// address on every EVM network. `createSplitDeterministic` and `SplitCreated` have the same ABI as in 0xSplits
/// v2.2.
contract PaymentSplitFactory {
    /// @notice The code that every split runs.
    address public immutable implementation = address(new PaymentSplit());

    /// @notice A split was deployed.
    /// @param split the split's address
    /// @param splitParams the terms that the address commits to
    /// @param owner always zero
    /// @param creator the unverified `creator` of `createSplitDeterministic`, or the caller of `createAndDistribute`
    /// @param salt distinguishes the split from others with the same terms
    event SplitCreated(
        address indexed split, Split splitParams, address owner, address creator, bytes32 salt
    );

    /// @notice Splits have no owner, because an owner could change them.
    /// @param owner the given owner; must be zero
    error OwnerUnsupported(address owner);

    /// @notice Deploys a split. Has no effect if the split already exists.
    /// @param split the terms
    /// @param owner must be zero
    /// @param creator only used in the event
    /// @param salt distinguishes the split from others with the same terms
    /// @return the split's address
    function createSplitDeterministic(Split calldata split, address owner, address creator, bytes32 salt)
        external
        returns (address)
    {
        if (owner != address(0)) revert OwnerUnsupported(owner);

        return _createSplit(split, creator, salt);
    }

    /// @notice Deploys a split if it does not exist, and distributes each of the tokens. Reverts if the
    /// deployment or any distribution fails.
    /// @param split the terms
    /// @param salt distinguishes the split from others with the same terms
    /// @param tokens the ERC-20s to distribute, or 0xEeee…EEeE for the native coin
    /// @param distributor the recipient of the incentive; zero or the split for no incentive
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

    /// @notice Returns the address of a split, deployed or not. Reverts for terms that can never be deployed.
    /// @param split the terms
    /// @param owner must be zero
    /// @param salt distinguishes the split from others with the same terms
    /// @return the split's address
    function predictDeterministicAddress(Split calldata split, address owner, bytes32 salt)
        external
        view
        returns (address)
    {
        if (owner != address(0)) revert OwnerUnsupported(owner);

        return Create2.computeAddress(salt, keccak256(_creationCode(split)));
    }

    /// @dev Deploys a split if it does not exist.
    /// @param split the terms
    /// @param creator only used in the event
    /// @param salt distinguishes the split from others with the same terms
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

    /// @dev Returns the code whose hash determines a split's address. Reverts for invalid terms.
    /// @param split the terms
    /// @return the creation code for CREATE2
    function _creationCode(Split calldata split) private view returns (bytes memory) {
        requireValidSplit(split);
        return splitProxyCreationCode(implementation, hashSplit(split));
    }
}

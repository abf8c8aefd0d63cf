// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Split, hashSplit, requireValidSplit } from "../Split.sol";
import { splitProxyCreationCode } from "../SplitProxy.sol";
import { TronPaymentSplit } from "./TronPaymentSplit.sol";
import { Create2 } from "@openzeppelin/contracts/utils/Create2.sol";

/// @title TronPaymentSplitFactory
/// @notice Deploys payment splits on TRON at addresses that depend only on their terms and a salt.
/// @dev Like PaymentSplitFactory.sol, except for addresses. TRON's CREATE2 hashes 0x41 instead of 0xff (TIP-26).
/// The address of a factory depends on the transaction that deploys it, so no two factories have the same
/// address, and each charge records its factory. The addresses of the implementation and the splits follow
/// from the factory's address.
contract TronPaymentSplitFactory {
    /// @notice The code that every split runs. Deployed by CREATE2 with salt zero, so its address depends only on
    /// the factory's address.
    address public immutable implementation = address(new TronPaymentSplit{ salt: 0 }());

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
    /// @param tokens the TRC-20s to distribute, or 0xEeee…EEeE for TRX
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
            TronPaymentSplit(created).distribute(split, tokens[i], distributor);
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

        return _create2Address(salt, keccak256(_creationCode(split)));
    }

    function _createSplit(Split calldata split, address creator, bytes32 salt)
        private
        returns (address created)
    {
        bytes memory code = _creationCode(split);
        created = _create2Address(salt, keccak256(code));
        if (created.code.length > 0) return created;

        emit SplitCreated({
            split: created, splitParams: split, owner: address(0), creator: creator, salt: salt
        });
        Create2.deploy(0, salt, code);
    }

    function _create2Address(bytes32 salt, bytes32 creationCodeHash) private view returns (address) {
        bytes32 hash = keccak256(abi.encodePacked(_create2Prefix(), address(this), salt, creationCodeHash));
        return address(uint160(uint256(hash)));
    }

    /// @dev Tests on Ethereum's virtual machine override this prefix.
    /// @return the byte that TRON hashes before the factory's address
    function _create2Prefix() internal pure virtual returns (bytes1) {
        return 0x41;
    }

    /// @dev Returns the code whose hash determines a split's address. Reverts for invalid terms.
    function _creationCode(Split calldata split) private view returns (bytes memory) {
        requireValidSplit(split);
        return splitProxyCreationCode(implementation, hashSplit(split));
    }
}

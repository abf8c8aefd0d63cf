// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { Split, hashSplit, requireValidSplit } from "../Split.sol";
import { splitProxyCreationCode } from "../SplitProxy.sol";
import { TronPaymentSplit } from "./TronPaymentSplit.sol";
import { Create2 } from "@openzeppelin/contracts/utils/Create2.sol";

/// @title TronPaymentSplitFactory
/// @notice Makes payment splits on TRON at addresses that follow from their terms and a salt alone.
/// @dev What PaymentSplitFactory.sol is, but for addresses: CREATE2 hashes 0x41 there in place of 0xff (TIP-26), and no
/// factory is at the same address twice, for a deployment's follows from its transaction. So a charge names its factory,
/// and everything else follows from that: the code that its splits run, too, is made by CREATE2.
contract TronPaymentSplitFactory {
    /// @notice The code every split runs: made with salt zero, so that its address follows from the factory's.
    address public immutable implementation = address(new TronPaymentSplit{ salt: 0 }());

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
    /// @param tokens the TRC-20s to distribute, or 0xEeee…EEeE for TRX
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
            TronPaymentSplit(created).distribute(split, tokens[i], distributor);
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

        return _create2Address(salt, keccak256(_creationCode(split)));
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
        created = _create2Address(salt, keccak256(code));
        if (created.code.length > 0) return created;

        emit SplitCreated({
            split: created, splitParams: split, owner: address(0), creator: creator, salt: salt
        });
        Create2.deploy(0, salt, code);
    }

    /// @dev Where CREATE2 puts a contract of this factory.
    /// @param salt what it is made with
    /// @param creationCodeHash keccak256 of what it runs
    /// @return the contract's address
    function _create2Address(bytes32 salt, bytes32 creationCodeHash) private view returns (address) {
        bytes32 hash = keccak256(abi.encodePacked(_create2Prefix(), address(this), salt, creationCodeHash));
        return address(uint160(uint256(hash)));
    }

    /// @dev What TRON hashes before the factory's address; a test machine that is Ethereum's has another.
    /// @return one byte
    function _create2Prefix() internal pure virtual returns (bytes1) {
        return 0x41;
    }

    /// @dev The code whose hash makes a split's address; reverts for terms that cannot be paid out.
    /// @param split the terms
    /// @return what CREATE2 runs
    function _creationCode(Split calldata split) private view returns (bytes memory) {
        requireValidSplit(split);
        return splitProxyCreationCode(implementation, hashSplit(split));
    }
}

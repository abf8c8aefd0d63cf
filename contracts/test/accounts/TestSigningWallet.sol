// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import { ECDSA } from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @notice A wallet contract that by default accepts the signatures of its owner's key (EIP-1271). Any account may
/// make it accept or reject all signatures, or burn all gas.
contract TestSigningWallet {
    enum Manner {
        AsksItsOwner,
        AgreesToAll,
        RefusesAll,
        BurnsAllGas
    }

    address public immutable owner;
    Manner public manner;

    constructor(address owner_) {
        owner = owner_;
    }

    function behave(Manner manner_) external {
        manner = manner_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (manner == Manner.AgreesToAll) return this.isValidSignature.selector;
        if (manner == Manner.RefusesAll) return 0;
        if (manner == Manner.BurnsAllGas) {
            assembly ("memory-safe") {
                invalid()
            }
        }
        (address signer, ECDSA.RecoverError error,) = ECDSA.tryRecover(digest, signature);
        bool isOwners = error == ECDSA.RecoverError.NoError && signer == owner;
        return isOwners ? this.isValidSignature.selector : bytes4(0);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Offset of the terms' hash in a split's code, after 51 bytes of proxy code.
uint256 constant SPLIT_HASH_OFFSET = 0x33;

/// @notice Returns the creation code of a split, which consists of a minimal proxy that accepts native coin itself and
/// the hash of the split's terms.
/// @dev Six bytes precede an ERC-1167 proxy, so its jump target is 0x31 instead of 0x2b. A call without calldata, which
/// is how native coin is sent, ends in these bytes after 15 gas. Forwarding the call would cost 2600 gas for the
/// implementation's cold account (EIP-2929), more than the 2300 that Solidity's `transfer` and `send` provide.
///
///     3660055700 5b                           CALLDATASIZE; if it is zero: STOP
///     363d3d373d3d3d363d73 … 5bf3             ERC-1167: DELEGATECALL the implementation with the calldata
///
/// @param implementation the code that every split runs
/// @param splitHash the hash at the end of the split's code, which the split's address commits to
/// @return the code that CREATE2 hashes and runs; it deploys 83 bytes
function splitProxyCreationCode(address implementation, bytes32 splitHash) pure returns (bytes memory) {
    return abi.encodePacked(
        hex"6100533d81600a3d39f3", // deploys the following 0x53 bytes
        hex"36600557005b",
        hex"363d3d373d3d3d363d73",
        implementation,
        hex"5af43d82803e903d91603157fd5bf3",
        splitHash
    );
}

/// @notice Returns the hash at the end of the called split's code. Only meaningful in a call through a split.
/// @return splitHash the hash that the split's address commits to
function committedSplitHash() view returns (bytes32 splitHash) {
    assembly ("memory-safe") {
        // In a DELEGATECALL, address() is the proxy. The first word of memory is scratch space.
        extcodecopy(address(), 0, SPLIT_HASH_OFFSET, 32)
        splitHash := mload(0)
    }
}

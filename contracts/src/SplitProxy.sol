// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @dev Where the hash of the terms begins in a split's code: behind 51 bytes of proxy.
uint256 constant SPLIT_HASH_OFFSET = 0x33;

/// @notice The creation code of a split: a minimal proxy that takes native coin by itself, and the hash of its terms.
/// @dev An ERC-1167 proxy with six bytes before it, and hence another jump (0x31 for 0x2b). A call without calldata, which
/// is what sends the native coin, ends there after 15 gas: forwarding it costs 2600 for the implementation's cold
/// account (EIP-2929), more than the 2300 that `transfer` and `send` of Solidity give.
///
///     3660055700 5b                           CALLDATASIZE; if it is zero: STOP
///     363d3d373d3d3d363d73 … 5bf3             ERC-1167: DELEGATECALL the implementation with the calldata
///
/// @param implementation the code that every split runs
/// @param splitHash what the split's address commits to; its code ends with it
/// @return the code that CREATE2 hashes and runs; it deploys 83 bytes
function splitProxyCreationCode(address implementation, bytes32 splitHash) pure returns (bytes memory) {
    return abi.encodePacked(
        hex"6100533d81600a3d39f3", // deploys the 0x53 bytes that follow
        hex"36600557005b",
        hex"363d3d373d3d3d363d73",
        implementation,
        hex"5af43d82803e903d91603157fd5bf3",
        splitHash
    );
}

/// @notice The hash that the running split's code ends with. Meaningful in a call through a split only.
/// @return splitHash what the split's address commits to
function committedSplitHash() view returns (bytes32 splitHash) {
    assembly ("memory-safe") {
        // In a DELEGATECALL, address() is the proxy. The first word of memory is scratch space.
        extcodecopy(address(), 0, SPLIT_HASH_OFFSET, 32)
        splitHash := mload(0)
    }
}

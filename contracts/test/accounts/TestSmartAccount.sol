// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice A smart account that executes any call for any caller.
contract TestSmartAccount {
    function execute(address target, uint256 value, bytes calldata data) external {
        (bool success, bytes memory reason) = target.call{ value: value }(data);
        if (success) return;
        assembly ("memory-safe") {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}

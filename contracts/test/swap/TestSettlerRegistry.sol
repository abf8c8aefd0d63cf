// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Returns the current settler, like 0x's registry; any account may change it.
/// @dev For tests and the devnet, which put its code at the registry's address. It must therefore have no
/// constructor. See https://github.com/0xProject/0x-settler, "How do I find the most recent deployment?".
contract TestSettlerRegistry {
    error Paused();
    error NoPrevious();

    mapping(uint256 feature => address) private _current;
    mapping(uint256 feature => address) private _previous;

    /// @notice Replaces the settler of a feature and keeps the previous one. The zero address pauses the
    /// feature.
    function deploy(uint256 feature, address settler) external {
        _previous[feature] = _current[feature];
        _current[feature] = settler;
    }

    function ownerOf(uint256 feature) external view returns (address settler) {
        settler = _current[feature];
        if (settler == address(0)) revert Paused();
    }

    function prev(uint128 feature) external view returns (address settler) {
        settler = _previous[feature];
        if (settler == address(0)) revert NoPrevious();
    }
}

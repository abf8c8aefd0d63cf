// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice Who is paid and how much of it: the terms a split's address commits to.
/// @dev The shape, field by field, of 0xSplits v2.2, so that calldata and hashes are the same.
struct Split {
    /// @dev The first one is the merchant, who also gets what rounding leaves. The same address may stand twice.
    address[] recipients;
    /// @dev One for each recipient, in millionths of what is left after the incentive.
    uint256[] allocations;
    /// @dev The sum of `allocations`; always 1,000,000.
    uint256 totalAllocation;
    /// @dev What whoever distributes gets, in millionths of the whole amount.
    uint16 distributionIncentive;
}

/// @dev The whole, in the unit of allocations and incentive: one millionth.
uint256 constant TOTAL_ALLOCATION = 1_000_000;

/// @dev Bounds the gas of a distribution. A charge needs seven: merchant, treasury and five more.
uint256 constant MAX_RECIPIENTS = 16;

/// @dev Five percent, in millionths.
uint256 constant MAX_DISTRIBUTION_INCENTIVE = 50_000;

/// @notice The hash a split's address commits to.
function hashSplit(Split calldata split) pure returns (bytes32) {
    return keccak256(abi.encode(split));
}

/// @notice Whether a split may have an address: money sent to terms that cannot be deployed would be lost.
function isValidSplit(Split calldata split) pure returns (bool) {
    uint256 count = split.recipients.length;
    if (count == 0 || count > MAX_RECIPIENTS || count != split.allocations.length) return false;
    if (split.totalAllocation != TOTAL_ALLOCATION) return false;
    if (split.distributionIncentive > MAX_DISTRIBUTION_INCENTIVE) return false;

    uint256 sum = 0;
    for (uint256 i = 0; i < count; i++) {
        uint256 allocation = split.allocations[i];
        // The upper bound keeps the sum from overflowing.
        if (allocation == 0 || allocation > TOTAL_ALLOCATION) return false;
        if (split.recipients[i] == address(0)) return false;
        sum += allocation;
    }
    return sum == TOTAL_ALLOCATION;
}

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

/// @notice A split pays somebody, and no more than this many.
/// @param count how many recipients there are
/// @param maximum how many there may be; at least there is one
error RecipientCountOutOfRange(uint256 count, uint256 maximum);

/// @notice Every recipient has one allocation.
/// @param allocations how many allocations there are
/// @param recipients how many recipients there are
error AllocationCountMismatch(uint256 allocations, uint256 recipients);

/// @notice The scale of the allocations is another one.
/// @param totalAllocation the scale that was given
/// @param required the only scale there is
error TotalAllocationMismatch(uint256 totalAllocation, uint256 required);

/// @notice The allocations are more, or less, than the whole.
/// @param sum what they add up to
/// @param required what they must add up to
error AllocationSumMismatch(uint256 sum, uint256 required);

/// @notice Nobody has nothing, or more than the whole.
/// @param index whose allocation it is, from 0
/// @param allocation the allocation, in millionths
/// @param maximum the whole; at least it is one
error AllocationOutOfRange(uint256 index, uint256 allocation, uint256 maximum);

/// @notice What is sent to the zero address is lost.
/// @param index which recipient it is, from 0
error ZeroRecipient(uint256 index);

/// @notice Whoever distributes would get too much.
/// @param incentive the incentive, in millionths
/// @param maximum what it may be, in millionths
error IncentiveTooHigh(uint256 incentive, uint256 maximum);

/// @notice The hash a split's address commits to.
/// @param split the terms
/// @return keccak256 of their ABI encoding
function hashSplit(Split calldata split) pure returns (bytes32) {
    return keccak256(abi.encode(split));
}

/// @notice Reverts unless a split may have an address: money sent to terms that cannot be deployed would be lost.
/// @param split the terms
function requireValidSplit(Split calldata split) pure {
    uint256 count = split.recipients.length;
    if (count == 0 || count > MAX_RECIPIENTS) revert RecipientCountOutOfRange(count, MAX_RECIPIENTS);
    if (count != split.allocations.length) revert AllocationCountMismatch(split.allocations.length, count);
    if (split.totalAllocation != TOTAL_ALLOCATION) {
        revert TotalAllocationMismatch(split.totalAllocation, TOTAL_ALLOCATION);
    }
    if (split.distributionIncentive > MAX_DISTRIBUTION_INCENTIVE) {
        revert IncentiveTooHigh(split.distributionIncentive, MAX_DISTRIBUTION_INCENTIVE);
    }

    uint256 sum = 0;
    for (uint256 i = 0; i < count; i++) {
        uint256 allocation = split.allocations[i];
        // The upper bound keeps the sum from overflowing.
        if (allocation == 0 || allocation > TOTAL_ALLOCATION) {
            revert AllocationOutOfRange(i, allocation, TOTAL_ALLOCATION);
        }
        if (split.recipients[i] == address(0)) revert ZeroRecipient(i);
        sum += allocation;
    }
    if (sum != TOTAL_ALLOCATION) revert AllocationSumMismatch(sum, TOTAL_ALLOCATION);
}

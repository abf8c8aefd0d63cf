// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice The recipients and their shares: the terms that a split's address commits to.
/// @dev Has the fields of 0xSplits v2.2, so that calldata and hashes are the same.
struct Split {
    /// @dev The first recipient is the merchant, who also gets the rounding remainder. An address may occur twice.
    address[] recipients;
    /// @dev One share per recipient, in millionths of the amount after the incentive.
    uint256[] allocations;
    /// @dev The sum of `allocations`; always 1,000,000.
    uint256 totalAllocation;
    /// @dev The distributor's share, in millionths of the whole amount.
    uint16 distributionIncentive;
}

/// @dev The whole amount in millionths, the unit of allocations and incentive.
uint256 constant TOTAL_ALLOCATION = 1_000_000;

/// @dev Bounds the gas of a distribution. A charge has at most seven: merchant, treasury and five more.
uint256 constant MAX_RECIPIENTS = 16;

/// @dev Five percent, in millionths.
uint256 constant MAX_DISTRIBUTION_INCENTIVE = 50_000;

/// @notice The number of recipients must be from one to the maximum.
/// @param count the number of recipients
/// @param maximum the maximum number
error RecipientCountOutOfRange(uint256 count, uint256 maximum);

/// @notice Every recipient must have one allocation.
/// @param allocations the number of allocations
/// @param recipients the number of recipients
error AllocationCountMismatch(uint256 allocations, uint256 recipients);

/// @notice `totalAllocation` must have the required value.
/// @param totalAllocation the given value
/// @param required the required value
error TotalAllocationMismatch(uint256 totalAllocation, uint256 required);

/// @notice The allocations must add up to the required sum.
/// @param sum the sum of the allocations
/// @param required the required sum
error AllocationSumMismatch(uint256 sum, uint256 required);

/// @notice Every allocation must be from one to the maximum.
/// @param index the allocation's index, from 0
/// @param allocation the allocation, in millionths
/// @param maximum the whole amount, in millionths
error AllocationOutOfRange(uint256 index, uint256 allocation, uint256 maximum);

/// @notice The zero address cannot be a recipient, because its share would be lost.
/// @param index the recipient's index, from 0
error ZeroRecipient(uint256 index);

/// @notice The distributor's share is too large.
/// @param incentive the incentive, in millionths
/// @param maximum its maximum, in millionths
error IncentiveTooHigh(uint256 incentive, uint256 maximum);

/// @notice Returns the hash that a split's address commits to.
/// @param split the terms
/// @return keccak256 of their ABI encoding
function hashSplit(Split calldata split) pure returns (bytes32) {
    return keccak256(abi.encode(split));
}

/// @notice Reverts if the terms are invalid. No split can be deployed with invalid terms, so money sent to its
/// address would be lost.
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

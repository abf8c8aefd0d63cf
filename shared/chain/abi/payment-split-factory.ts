import { parseAbi } from 'viem'

/** The ABI of PaymentSplitFactory; written by `npm run abi`. */
export const paymentSplitFactoryAbi = parseAbi([
  'function createAndDistribute((address[] recipients, uint256[] allocations, uint256 totalAllocation, uint16 distributionIncentive) split, bytes32 salt, address[] tokens, address distributor) returns (address created)',
  'function createSplitDeterministic((address[] recipients, uint256[] allocations, uint256 totalAllocation, uint16 distributionIncentive) split, address owner, address creator, bytes32 salt) returns (address)',
  'function implementation() view returns (address)',
  'function predictDeterministicAddress((address[] recipients, uint256[] allocations, uint256 totalAllocation, uint16 distributionIncentive) split, address owner, bytes32 salt) view returns (address)',
  'event SplitCreated(address indexed split, (address[] recipients, uint256[] allocations, uint256 totalAllocation, uint16 distributionIncentive) splitParams, address owner, address creator, bytes32 salt)',
  'error AllocationCountMismatch(uint256 allocations, uint256 recipients)',
  'error AllocationOutOfRange(uint256 index, uint256 allocation, uint256 maximum)',
  'error AllocationSumMismatch(uint256 sum, uint256 required)',
  'error Create2EmptyBytecode()',
  'error FailedDeployment()',
  'error IncentiveTooHigh(uint256 incentive, uint256 maximum)',
  'error InsufficientBalance(uint256 balance, uint256 needed)',
  'error OwnerUnsupported(address owner)',
  'error RecipientCountOutOfRange(uint256 count, uint256 maximum)',
  'error TotalAllocationMismatch(uint256 totalAllocation, uint256 required)',
  'error ZeroRecipient(uint256 index)',
])

/** The ABI of PaymentSplitFactory; written by `npm run abi`. */
export const paymentSplitFactoryAbi = [
  {
    type: 'function',
    name: 'createAndDistribute',
    inputs: [
      {
        name: 'split',
        type: 'tuple',
        internalType: 'struct Split',
        components: [
          { name: 'recipients', type: 'address[]', internalType: 'address[]' },
          { name: 'allocations', type: 'uint256[]', internalType: 'uint256[]' },
          { name: 'totalAllocation', type: 'uint256', internalType: 'uint256' },
          { name: 'distributionIncentive', type: 'uint16', internalType: 'uint16' },
        ],
      },
      { name: 'salt', type: 'bytes32', internalType: 'bytes32' },
      { name: 'tokens', type: 'address[]', internalType: 'address[]' },
      { name: 'distributor', type: 'address', internalType: 'address' },
    ],
    outputs: [{ name: 'created', type: 'address', internalType: 'address' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'createSplitDeterministic',
    inputs: [
      {
        name: 'split',
        type: 'tuple',
        internalType: 'struct Split',
        components: [
          { name: 'recipients', type: 'address[]', internalType: 'address[]' },
          { name: 'allocations', type: 'uint256[]', internalType: 'uint256[]' },
          { name: 'totalAllocation', type: 'uint256', internalType: 'uint256' },
          { name: 'distributionIncentive', type: 'uint16', internalType: 'uint16' },
        ],
      },
      { name: 'owner', type: 'address', internalType: 'address' },
      { name: 'creator', type: 'address', internalType: 'address' },
      { name: 'salt', type: 'bytes32', internalType: 'bytes32' },
    ],
    outputs: [{ name: '', type: 'address', internalType: 'address' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'implementation',
    inputs: [],
    outputs: [{ name: '', type: 'address', internalType: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'predictDeterministicAddress',
    inputs: [
      {
        name: 'split',
        type: 'tuple',
        internalType: 'struct Split',
        components: [
          { name: 'recipients', type: 'address[]', internalType: 'address[]' },
          { name: 'allocations', type: 'uint256[]', internalType: 'uint256[]' },
          { name: 'totalAllocation', type: 'uint256', internalType: 'uint256' },
          { name: 'distributionIncentive', type: 'uint16', internalType: 'uint16' },
        ],
      },
      { name: 'owner', type: 'address', internalType: 'address' },
      { name: 'salt', type: 'bytes32', internalType: 'bytes32' },
    ],
    outputs: [{ name: '', type: 'address', internalType: 'address' }],
    stateMutability: 'view',
  },
  {
    type: 'event',
    name: 'SplitCreated',
    inputs: [
      { name: 'split', type: 'address', indexed: true, internalType: 'address' },
      {
        name: 'splitParams',
        type: 'tuple',
        indexed: false,
        internalType: 'struct Split',
        components: [
          { name: 'recipients', type: 'address[]', internalType: 'address[]' },
          { name: 'allocations', type: 'uint256[]', internalType: 'uint256[]' },
          { name: 'totalAllocation', type: 'uint256', internalType: 'uint256' },
          { name: 'distributionIncentive', type: 'uint16', internalType: 'uint16' },
        ],
      },
      { name: 'owner', type: 'address', indexed: false, internalType: 'address' },
      { name: 'creator', type: 'address', indexed: false, internalType: 'address' },
      { name: 'salt', type: 'bytes32', indexed: false, internalType: 'bytes32' },
    ],
    anonymous: false,
  },
  {
    type: 'error',
    name: 'AllocationCountMismatch',
    inputs: [
      { name: 'allocations', type: 'uint256', internalType: 'uint256' },
      { name: 'recipients', type: 'uint256', internalType: 'uint256' },
    ],
  },
  {
    type: 'error',
    name: 'AllocationOutOfRange',
    inputs: [
      { name: 'index', type: 'uint256', internalType: 'uint256' },
      { name: 'allocation', type: 'uint256', internalType: 'uint256' },
      { name: 'maximum', type: 'uint256', internalType: 'uint256' },
    ],
  },
  {
    type: 'error',
    name: 'AllocationSumMismatch',
    inputs: [
      { name: 'sum', type: 'uint256', internalType: 'uint256' },
      { name: 'required', type: 'uint256', internalType: 'uint256' },
    ],
  },
  { type: 'error', name: 'Create2EmptyBytecode', inputs: [] },
  { type: 'error', name: 'FailedDeployment', inputs: [] },
  {
    type: 'error',
    name: 'IncentiveTooHigh',
    inputs: [
      { name: 'incentive', type: 'uint256', internalType: 'uint256' },
      { name: 'maximum', type: 'uint256', internalType: 'uint256' },
    ],
  },
  {
    type: 'error',
    name: 'InsufficientBalance',
    inputs: [
      { name: 'balance', type: 'uint256', internalType: 'uint256' },
      { name: 'needed', type: 'uint256', internalType: 'uint256' },
    ],
  },
  {
    type: 'error',
    name: 'OwnerUnsupported',
    inputs: [{ name: 'owner', type: 'address', internalType: 'address' }],
  },
  {
    type: 'error',
    name: 'RecipientCountOutOfRange',
    inputs: [
      { name: 'count', type: 'uint256', internalType: 'uint256' },
      { name: 'maximum', type: 'uint256', internalType: 'uint256' },
    ],
  },
  {
    type: 'error',
    name: 'TotalAllocationMismatch',
    inputs: [
      { name: 'totalAllocation', type: 'uint256', internalType: 'uint256' },
      { name: 'required', type: 'uint256', internalType: 'uint256' },
    ],
  },
  {
    type: 'error',
    name: 'ZeroRecipient',
    inputs: [{ name: 'index', type: 'uint256', internalType: 'uint256' }],
  },
] as const

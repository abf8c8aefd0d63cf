/** The ABI of PaymentSplit; written by `npm run abi`. */
export const paymentSplitAbi = [
  {
    type: 'function',
    name: 'distributable',
    inputs: [{ name: 'token', type: 'address', internalType: 'address' }],
    outputs: [{ name: '', type: 'uint256', internalType: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'distribute',
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
      { name: 'token', type: 'address', internalType: 'address' },
      { name: 'distributor', type: 'address', internalType: 'address' },
    ],
    outputs: [],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'held',
    inputs: [
      { name: 'token', type: 'address', internalType: 'address' },
      { name: 'recipient', type: 'address', internalType: 'address' },
    ],
    outputs: [{ name: 'amount', type: 'uint256', internalType: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'release',
    inputs: [
      { name: 'token', type: 'address', internalType: 'address' },
      { name: 'recipient', type: 'address', internalType: 'address' },
    ],
    outputs: [{ name: 'amount', type: 'uint256', internalType: 'uint256' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'splitHash',
    inputs: [],
    outputs: [{ name: '', type: 'bytes32', internalType: 'bytes32' }],
    stateMutability: 'view',
  },
  {
    type: 'function',
    name: 'totalHeld',
    inputs: [{ name: 'token', type: 'address', internalType: 'address' }],
    outputs: [{ name: 'amount', type: 'uint256', internalType: 'uint256' }],
    stateMutability: 'view',
  },
  {
    type: 'event',
    name: 'PayoutHeld',
    inputs: [
      { name: 'token', type: 'address', indexed: true, internalType: 'address' },
      { name: 'recipient', type: 'address', indexed: true, internalType: 'address' },
      { name: 'amount', type: 'uint256', indexed: false, internalType: 'uint256' },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'PayoutReleased',
    inputs: [
      { name: 'token', type: 'address', indexed: true, internalType: 'address' },
      { name: 'recipient', type: 'address', indexed: true, internalType: 'address' },
      { name: 'amount', type: 'uint256', indexed: false, internalType: 'uint256' },
    ],
    anonymous: false,
  },
  {
    type: 'event',
    name: 'SplitDistributed',
    inputs: [
      { name: 'token', type: 'address', indexed: true, internalType: 'address' },
      { name: 'distributor', type: 'address', indexed: true, internalType: 'address' },
      { name: 'amount', type: 'uint256', indexed: false, internalType: 'uint256' },
    ],
    anonymous: false,
  },
  { type: 'error', name: 'AllPayoutsFailed', inputs: [] },
  {
    type: 'error',
    name: 'HeldUnbacked',
    inputs: [
      { name: 'balance', type: 'uint256', internalType: 'uint256' },
      { name: 'totalHeld', type: 'uint256', internalType: 'uint256' },
    ],
  },
  { type: 'error', name: 'IncentiveTransferFailed', inputs: [] },
  {
    type: 'error',
    name: 'NativePayoutFailed',
    inputs: [
      { name: 'recipient', type: 'address', internalType: 'address' },
      { name: 'amount', type: 'uint256', internalType: 'uint256' },
    ],
  },
  {
    type: 'error',
    name: 'NativeUnsupported',
    inputs: [{ name: 'chainId', type: 'uint256', internalType: 'uint256' }],
  },
  { type: 'error', name: 'NothingHeld', inputs: [] },
  {
    type: 'error',
    name: 'NothingToDistribute',
    inputs: [
      { name: 'balance', type: 'uint256', internalType: 'uint256' },
      { name: 'totalHeld', type: 'uint256', internalType: 'uint256' },
    ],
  },
  { type: 'error', name: 'ReentrancyGuardReentrantCall', inputs: [] },
  { type: 'error', name: 'ReleaseFailed', inputs: [] },
  {
    type: 'error',
    name: 'SplitMismatch',
    inputs: [
      { name: 'given', type: 'bytes32', internalType: 'bytes32' },
      { name: 'committed', type: 'bytes32', internalType: 'bytes32' },
    ],
  },
] as const

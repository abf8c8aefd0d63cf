import { parseAbi } from 'viem'

/** The ABI of PaymentSplit; written by `npm run abi`. */
export const paymentSplitAbi = parseAbi([
  'function distributable(address token) view returns (uint256)',
  'function distribute((address[] recipients, uint256[] allocations, uint256 totalAllocation, uint16 distributionIncentive) split, address token, address distributor)',
  'function held(address token, address recipient) view returns (uint256 amount)',
  'function release(address token, address recipient) returns (uint256 amount)',
  'function splitHash() view returns (bytes32)',
  'function totalHeld(address token) view returns (uint256 amount)',
  'event PayoutHeld(address indexed token, address indexed recipient, uint256 amount)',
  'event PayoutReleased(address indexed token, address indexed recipient, uint256 amount)',
  'event SplitDistributed(address indexed token, address indexed distributor, uint256 amount)',
  'error AllPayoutsFailed()',
  'error HeldUnbacked(uint256 balance, uint256 totalHeld)',
  'error IncentiveTransferFailed()',
  'error NativePayoutFailed(address recipient, uint256 amount)',
  'error NativeUnsupported(uint256 chainId)',
  'error NothingHeld()',
  'error NothingToDistribute(uint256 balance, uint256 totalHeld)',
  'error ReentrancyGuardReentrantCall()',
  'error ReleaseFailed()',
  'error SplitMismatch(bytes32 given, bytes32 committed)',
])

import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Address, Hex } from './address.ts'
import type { Split } from './allocation.ts'
import { encodeAbiWord } from './create2.ts'
import { listSplitWords } from './split-address.ts'

/**
 * The zero address. A distribution that names it as distributor pays no incentive; the recipients share that amount.
 */
export const ANY_DISTRIBUTOR = `0x${'0'.repeat(40)}` as Address

/**
 * The contracts' placeholder for a chain's native coin instead of a token address.
 *
 * @see contracts/src/PaymentSplit.sol
 */
export const NATIVE_COIN = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee' as Address

/** Arc and its testnet. Their native coin is USDC, which is distributed as an ERC-20 token. */
const COIN_IS_TOKEN: readonly number[] = [5042, 5_042_002]

/** Returns whether a split can distribute this chain's native coin. */
export function hasNativeCoin(chainId: number): boolean {
  return !COIN_IS_TOKEN.includes(chainId)
}

/**
 * Offset, in bytes, of the distributor's 20 bytes in the call: after the selector, three words and a word's padding.
 */
export const DISTRIBUTOR_BYTE_OFFSET = 4 + 3 * 32 + 12

/** The inputs of one distribution of one token. */
export type DistributionCall = {
  readonly split: Split
  /** 32 bytes. */
  readonly salt: Hex
  readonly token: Address
  /** The account that receives the incentive. */
  readonly distributor: Address
}

/**
 * Encodes the factory call that deploys a split if needed and distributes a token.
 *
 * @see contracts/src/PaymentSplitFactory.sol, `createAndDistribute`
 */
export function encodeDistribution({ split, salt, token, distributor }: DistributionCall): Hex {
  const terms = listSplitWords(split)
  const headBytes = 4 * 32
  const words = [
    encodeAbiWord(headBytes),
    salt.slice(2),
    encodeAbiWord(headBytes + terms.length * 32),
    encodeAbiWord(distributor),
    ...terms.map(encodeAbiWord),
    encodeAbiWord(1),
    encodeAbiWord(token),
  ]
  return `0x${SELECTOR}${words.join('')}`
}

const SELECTOR = bytesToHex(
  keccak_256(
    utf8ToBytes('createAndDistribute((address[],uint256[],uint256,uint16),bytes32,address[],address)'),
  ).subarray(0, 4),
)

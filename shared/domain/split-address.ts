import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { LRUCache } from 'lru-cache'
import constants from '../../contracts/artifacts/split-constants.json' with { type: 'json' }
import { type Address, type Hex, parseEvmAddress } from './address.ts'
import { MAX_DISTRIBUTION_INCENTIVE, type Split, TOTAL_ALLOCATION } from './allocation.ts'
import { create2Address, encodeAbiWord, hashHex } from './create2.ts'
import { invariant } from './errors.ts'

/** Maximum recipients of a split, which limits the gas of a distribution. See contracts/src/Split.sol. */
const MAX_RECIPIENTS = 16

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** Address of our factory, the same on every EVM network. The contracts' build computes it from their bytecode. */
export const SPLIT_FACTORY = requireAddress(constants.factoryAddress)

/** Address of the code that every split of `SPLIT_FACTORY` executes. */
export const SPLIT_IMPLEMENTATION = requireAddress(constants.implementationAddress)

/** The implementation address of each factory with which charges may have been created. */
export const SPLIT_IMPLEMENTATIONS: ReadonlyMap<Address, Address> = new Map([
  [SPLIT_FACTORY, SPLIT_IMPLEMENTATION],
])

/** Inputs of a split's address, except for the implementation. */
export type SplitDeployment = { readonly factory: Address; readonly split: Split; readonly salt: Hex }

/**
 * Returns the address of a charge's split on every EVM network, whether or not it is deployed. It is also the charge's
 * address, except with escrow, where the charge's address is a Safe (`escrow-address.ts`), and on TRON
 * (`chain-families/tron/predict-split.ts`). The address has no private key: only the split's code can move its money.
 *
 * The address is computed without viem, because every new charge needs an address: 27 µs against 57 µs with viem 2.57.1
 * (2 cores, November 2026).
 *
 * @throws {Error} for terms that can never be deployed, because money sent there would be lost
 * @see contracts/src/PaymentSplitFactory.sol, `predictDeterministicAddress`
 */
export function predictSplitAddress(terms: SplitDeployment & { readonly implementation: Address }): Address {
  return create2Address({ deployer: terms.factory, salt: terms.salt, initCodeHash: splitInitCodeHash(terms) })
}

/**
 * Returns the hash of the code that creates a split, on every chain family.
 *
 * @throws {Error} for terms that can never be deployed, because money sent there would be lost
 */
export function splitInitCodeHash({ implementation, split }: { implementation: Address; split: Split }): Hex {
  const { recipients, allocations, totalAllocation, distributionIncentive } = split
  const key = [implementation, totalAllocation, distributionIncentive, ...recipients, ...allocations].join()
  const known = initCodeHashes.get(key)
  if (known !== undefined) return known
  validateSplit(split)
  const hash = hashHex(cloneInitCode(implementation, splitHash(split)))
  initCodeHashes.set(key, hash)
  return hash
}

/**
 * Cached because the charges of a merchant share their terms, and these hashes are most of the hashing that an address
 * needs.
 */
const initCodeHashes = new LRUCache<string, Hex>({ max: 10_000 })

/**
 * Returns the CREATE2 salt of a charge: keccak256 of its id's UTF-8 text.
 *
 * The id contains 130 random bits, so that the address cannot be guessed. If the database is lost, the salt can be
 * recomputed from the id.
 */
export function chargeSalt(chargeId: string): Hex {
  const known = salts.get(chargeId)
  if (known !== undefined) return known
  const salt: Hex = `0x${bytesToHex(keccak_256(utf8ToBytes(chargeId)))}`
  salts.set(chargeId, salt)
  return salt
}

/** A new charge needs its salt twice: for its address and for its JSON. Each hash costs 10 µs (measured). */
const salts = new LRUCache<string, Hex>({ max: 1_000 })

/** Returns the hash that a split's address commits to: keccak256 of `abi.encode(split)`. */
export function splitHash(split: Split): Hex {
  return hashHex(encodeSplit(split))
}

/**
 * Applies the rules of `requireValidSplit` in contracts/src/Split.sol.
 *
 * @throws {Error} if the contract would reject these terms
 */
export function validateSplit(split: Split): void {
  const { recipients, allocations, totalAllocation, distributionIncentive: incentive } = split
  invariant(
    recipients.length >= 1 && recipients.length <= MAX_RECIPIENTS,
    `a split must have 1 to ${MAX_RECIPIENTS} recipients, not ${recipients.length}`,
  )
  invariant(
    allocations.length === recipients.length,
    `${allocations.length} allocations for ${recipients.length} recipients`,
  )
  invariant(
    !recipients.some((recipient) => recipient === ZERO_ADDRESS),
    'a split cannot pay the zero address',
  )
  invariant(
    allocations.every((allocation) => Number.isInteger(allocation) && allocation >= 1),
    `allocations ${allocations.join(', ')} are not all positive integers`,
  )
  const sum = allocations.reduce((total, allocation) => total + allocation, 0)
  invariant(
    sum === TOTAL_ALLOCATION && totalAllocation === TOTAL_ALLOCATION,
    `allocations add up to ${sum} and totalAllocation is ${totalAllocation}; both must be ${TOTAL_ALLOCATION}`,
  )
  invariant(
    Number.isInteger(incentive) && incentive >= 0 && incentive <= MAX_DISTRIBUTION_INCENTIVE,
    `incentive ${incentive} millionths must be from 0 to ${MAX_DISTRIBUTION_INCENTIVE}`,
  )
}

/** Encodes `(address[], uint256[], uint256, uint16)` as one dynamic argument of the Solidity ABI. */
function encodeSplit(split: Split): Hex {
  return `0x${[32, ...listSplitWords(split)].map(encodeAbiWord).join('')}`
}

/** Lists the words of a split in the Solidity ABI, without the leading offset. */
export function listSplitWords(split: Split): readonly (number | Address)[] {
  const headBytes = 4 * 32
  const recipientsBytes = (1 + split.recipients.length) * 32
  return [
    headBytes,
    headBytes + recipientsBytes,
    split.totalAllocation,
    split.distributionIncentive,
    split.recipients.length,
    ...split.recipients,
    split.allocations.length,
    ...split.allocations,
  ]
}

/**
 * Returns the creation code of a split. The split's runtime code ends with the hash of its terms. See
 * contracts/src/SplitProxy.sol.
 */
function cloneInitCode(implementation: Address, hash: Hex): Hex {
  return `0x6100533d81600a3d39f336600557005b363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91603157fd5bf3${hash.slice(2)}`
}

function requireAddress(text: string): Address {
  const address = parseEvmAddress(text)
  invariant(address !== null, `${text} is not an address`)
  return address
}

import { createMerkleProof, createMPT } from '@ethereumjs/mpt'
import { encodeRlp, getBytes, hexlify, id, keccak256, toBeHex } from 'ethers'
import { type Address, checksum } from '../../../shared/domain/address.ts'
import { formatTronAddress } from '../../../shared/domain/chain-families/tron/address.ts'
import { predictTronSplit } from '../../../shared/domain/chain-families/tron/predict-split.ts'
import { predictSafeAddress, SAFE_CONTRACTS } from '../../../shared/domain/escrow-address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'
import {
  chargeSalt,
  predictSplitAddress,
  SPLIT_FACTORY,
  SPLIT_IMPLEMENTATION,
} from '../../../shared/domain/split-address.ts'

export const PAYER = `0x${'bb'.repeat(20)}` as Address
export const MERCHANT = `0x${'a1'.repeat(20)}` as Address
export const TREASURY = `0x${'77'.repeat(20)}` as Address
export const KEEPER = `0x${'4e'.repeat(20)}` as Address
const USDC = REGISTRY.base.live.tokens.USDC?.address as Address

const BLOOM = `0x${'00'.repeat(256)}`
const TRANSFER = id('Transfer(address,address,uint256)')

export type TestLog = { readonly address: string; readonly topics: readonly string[]; readonly data: string }

/** Returns the log of a USDC transfer. */
export function transfer(from: Address, to: Address, amount: bigint): TestLog {
  return { address: USDC, topics: [TRANSFER, topic(from), topic(to)], data: toBeHex(amount, 32) }
}

function splitEvent(
  name: string,
  { split, party, amount }: { split: Address; party: Address; amount: bigint },
): TestLog {
  return {
    address: split,
    topics: [id(`${name}(address,address,uint256)`), topic(USDC), topic(party)],
    data: toBeHex(amount, 32),
  }
}

/** Returns the address of a new charge, and the charge as its evidence contains it. */
export function buildTerms({ escrowOwner = null }: { readonly escrowOwner?: Address | null } = {}) {
  const chargeId = newId('ch', Date.now())
  const split = {
    recipients: [MERCHANT, TREASURY],
    allocations: [990_991, 9_009],
    totalAllocation: 1_000_000,
    distributionIncentive: 1_000,
  }
  const place = {
    factory: SPLIT_FACTORY,
    salt: chargeSalt(chargeId),
    split,
    implementation: SPLIT_IMPLEMENTATION,
  }
  const splitAddress = predictSplitAddress(place)
  const safe = escrowOwner && predictSafeAddress({ releaser: escrowOwner, saltNonce: place.salt })
  const address = safe ?? splitAddress
  return {
    address,
    charge: {
      ...{ id: chargeId, address: checksum(address) },
      addressTerms: {
        ...{ family: 'evm', factory: checksum(SPLIT_FACTORY), salt: place.salt },
        recipients: split.recipients.map((recipient, index) => ({
          ...{ address: checksum(recipient), allocation: split.allocations[index] },
        })),
        ...{
          totalAllocation: 1_000_000,
          distributionIncentive: 1_000,
          splitAddress: checksum(splitAddress),
          safe: escrowOwner && describeSafe(escrowOwner),
        },
      },
    },
  }
}

function describeSafe(owner: Address) {
  const { singleton, proxyFactory, fallbackHandler } = SAFE_CONTRACTS
  return {
    ...{ owner: checksum(owner), threshold: 1, singleton: checksum(singleton) },
    ...{ proxyFactory: checksum(proxyFactory), fallbackHandler: checksum(fallbackHandler) },
  }
}

/** Returns a charge on TRON, and the factory from which its address is computed. */
export function buildTronTerms() {
  const chargeId = newId('ch', Date.now())
  const factory = `0x${'fa'.repeat(20)}` as Address
  const split = {
    ...{ recipients: [MERCHANT, TREASURY], allocations: [990_991, 9_009] },
    ...{ totalAllocation: 1_000_000, distributionIncentive: 1_000 },
  }
  const salt = chargeSalt(chargeId)
  const address = formatTronAddress(predictTronSplit({ factory, split, salt }))
  const terms = {
    ...{ family: 'tron', factory: formatTronAddress(factory), salt, splitAddress: address, safe: null },
    ...{ totalAllocation: 1_000_000, distributionIncentive: 1_000 },
    recipients: split.recipients.map((recipient, index) => ({
      ...{ address: formatTronAddress(recipient), allocation: split.allocations[index] },
    })),
  }
  return { factory: terms.factory, charge: { id: chargeId, address, addressTerms: terms } }
}

type Block = {
  /** Logs of the transaction to prove. */
  readonly logs: readonly TestLog[]
  /** Number of receipts before and after the receipt with these logs. */
  readonly before: number
  readonly after: number
  readonly isSuccess?: boolean
  readonly timestamp?: number
}

/** Builds a block whose header commits to all receipts, and the proof of the receipt with these logs. */
export async function buildBlock({
  logs,
  before,
  after,
  isSuccess = true,
  timestamp = 1_795_000_000,
}: Block) {
  const receipts = [
    ...Array.from({ length: before }, () => []),
    logs,
    ...Array.from({ length: after }, () => []),
  ]
  const trie = await buildTrie(
    receipts.map((its, index) => {
      const status = index === before && !isSuccess ? '0x' : '0x01'
      const entries = its.map(({ address, topics, data }) => [address, [...topics], data])
      return `0x02${encodeRlp([status, toBeHex(21_000 * (index + 1)), BLOOM, entries]).slice(2)}`
    }),
  )
  const number = 40_000_000
  const hash32 = `0x${'11'.repeat(32)}`
  const header = encodeRlp([
    ...[
      hash32,
      hash32,
      PAYER,
      hash32,
      hash32,
      hexlify(trie.root()),
      BLOOM,
      '0x',
      toBeHex(number),
      '0x01c9c380',
    ],
    ...['0x5208', toBeHex(timestamp), '0x', hash32, '0x0000000000000000', '0x07'],
  ])
  return {
    block: {
      number,
      hash: keccak256(header),
      time: new Date(Math.min(timestamp, 8_640_000_000_000) * 1_000).toISOString().replace(/^\+\d\d/, ''),
    },
    proof: {
      header,
      transactionIndex: before,
      receiptNodes: (await createMerkleProof(trie, key(before))).map((node) => hexlify(node)),
    },
  }
}

/** Builds the trie of encoded receipts, whose root is the header's receipts root. */
export async function buildTrie(receipts: readonly string[]) {
  const trie = await createMPT()
  for (const [index, receipt] of receipts.entries()) await trie.put(key(index), getBytes(receipt))
  return trie
}

/** Returns a log as evidence describes it. */
export function describeLog(
  kind: string,
  { position, party, amount }: { position: number; party: Address; amount: bigint },
) {
  return {
    ...{ kind, position, token: 'USDC', tokenAddress: checksum(USDC), party: checksum(party) },
    amountAtomic: String(amount),
    ...{
      countedAt: '2026-11-27T12:00:00.000Z',
      agreedAt: '2026-11-27T12:00:00.000Z',
      agreedBy: ['one.example'],
    },
  }
}

/** Returns the evidence of a payment that was distributed in the same transaction. */
export async function buildEvidence({ before = 2, after = 3 }: { before?: number; after?: number } = {}) {
  const { address: split, charge } = buildTerms()
  const amount = 10_000_000n
  const logs = [
    transfer(PAYER, MERCHANT, 1n),
    transfer(PAYER, split, amount),
    splitEvent('SplitDistributed', { split, party: KEEPER, amount }),
    transfer(split, KEEPER, 10_000n),
    transfer(split, TREASURY, 89_999n),
    transfer(split, MERCHANT, 9_900_001n),
  ]
  const { block, proof } = await buildBlock({ logs, before, after })
  return {
    charge,
    data: [
      {
        ...{ network: 'base', chainId: 8453, txHash: `0x${'33'.repeat(32)}`, block },
        logs: [
          describeLog('credit', { position: 1, party: PAYER, amount }),
          describeLog('distribution', { position: 2, party: KEEPER, amount }),
        ],
        ...{ proof, reason: null },
      },
    ],
    ...{ nextCursor: null, hasMore: false },
  }
}

function topic(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}

function key(index: number): Uint8Array {
  return getBytes(encodeRlp(index === 0 ? '0x' : toBeHex(index)))
}

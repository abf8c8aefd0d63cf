import { keccak256 } from 'viem'
import type { Hex } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, findAddressFamily } from '../../shared/domain/chain-families/chain-families.ts'
import { decodeHeader } from '../../shared/domain/evidence/decode-header.ts'
import { decodeReceipt, type ReceiptLog } from '../../shared/domain/evidence/decode-receipt.ts'
import { findProvenReceipt } from '../../shared/domain/evidence/receipt-proof.ts'
import { AddressMismatch, type ChargeTerms, type CheckedTerms, checkTerms } from './check-address.ts'
import { EvidenceError, requireCondition } from './evidence-error.ts'
import { type EvidenceProof, type EvidenceTransaction, readEvidence } from './read-evidence.ts'
import { readSpelled } from './read-spelled.ts'
import { type PaidShare, type VerifiedLog, verifyLogs } from './verify-evidence-logs.ts'

export type EvidenceTrust = {
  /** Address of the charge as shown to the payer or merchant. Anyone can forge a charge with the same id. */
  readonly address: string
  /** Block hashes that the caller has read from the network itself. */
  readonly blockHashes: readonly string[]
  /** Contracts of tokens that are not in the package's registry. */
  readonly tokens?: readonly string[]
  /** Factory of the splits, for a chain family without a fixed factory address. */
  readonly factory?: string | undefined
}

/** A transaction whose receipt is proven to be in a trusted block. */
export type VerifiedTransaction = Pick<EvidenceTransaction, 'network' | 'chainId' | 'txHash' | 'block'> & {
  readonly transactionIndex: number
  readonly logs: readonly VerifiedLog[]
  /** The split's payments, summed from the token transfers in the receipt. */
  readonly paid: readonly PaidShare[]
}

/** The facts that evidence proves if the trusted values are correct. */
export type VerifiedEvidence = {
  readonly chargeId: string
  readonly address: string
  readonly splitAddress: string
  /** The only account that can move the escrow's money; `null` without escrow. */
  readonly escrowOwner: string | null
  /** The distributor's share in millionths. */
  readonly incentive: number
  /** Recipients of the split, with shares in millionths of the amount after the incentive. */
  readonly recipients: readonly { readonly address: string; readonly allocation: number }[]
  readonly verified: readonly VerifiedTransaction[]
  /** Transactions without a proof, or in a block whose hash the caller did not give. */
  readonly unverified: readonly Pick<EvidenceTransaction, 'network' | 'txHash' | 'block' | 'reason'>[]
}

/**
 * Verifies evidence of a charge (`GET /v1/charges/{id}/evidence`) without any request.
 *
 * A trusted block hash commits to the header, the header to the root of the receipts trie, and the root to each receipt
 * with its logs. The charge's address commits to its terms. A hash does not identify its network, so read it from the
 * network that the evidence names, never from the evidence or its sender.
 *
 * @throws {EvidenceError} naming the first difference; also if a given block hash has no proven transaction
 */
export async function verifyEvidence(text: string, trust: EvidenceTrust): Promise<VerifiedEvidence> {
  const hashes = new Set(trust.blockHashes.map(readHash))
  const { charge, data } = readEvidence(text, hashes)
  if (hashes.size > 0) requireProvable(charge)
  const terms = verifyTerms(charge, trust)
  const verified: VerifiedTransaction[] = []
  for (const one of data.filter(({ proof }) => proof !== null))
    verified.push(await verifyTransaction(one, { terms, tokens: trust.tokens ?? [] }))
  requireDistinct(verified)
  for (const hash of hashes) {
    const isUsed = verified.some(({ block }) => block.hash === hash)
    requireCondition(isUsed, `the evidence proves no transaction in the block ${hash}`)
  }
  const { recipients, splitAddress, distributionIncentive: incentive, safe } = charge.addressTerms
  return {
    ...{ chargeId: charge.id, address: charge.address, splitAddress, escrowOwner: safe?.owner ?? null },
    ...{ incentive, recipients, verified },
    unverified: data.filter(({ proof }) => proof === null),
  }
}

/** Throws if the chain family allows no proof. Called first, because this check needs no factory. */
function requireProvable({ addressTerms }: ChargeTerms): void {
  const family = findAddressFamily(addressTerms.splitAddress)
  requireCondition(
    family === null || CHAIN_FAMILIES[family].provesReceipts,
    `headers of ${family} networks do not commit to receipts`,
  )
}

function verifyTerms(charge: ChargeTerms, { address, factory }: EvidenceTrust): CheckedTerms {
  const terms = computeTerms(charge, factory)
  const expected = CHAIN_FAMILIES[terms.family].parseAddress(address)
  requireCondition(
    expected === terms.address,
    `the evidence is about the address ${charge.address}, not about ${JSON.stringify(address)}`,
  )
  const { addressTerms } = charge
  const { recipients, splitAddress, safe } = addressTerms
  const addresses = [
    charge.address,
    addressTerms.factory,
    splitAddress,
    ...recipients.map(({ address }) => address),
  ]
  const ofSafe = safe === null ? [] : [safe.owner, safe.singleton, safe.proxyFactory, safe.fallbackHandler]
  for (const address of [...addresses, ...ofSafe]) readSpelled(address, terms.family)
  const { family = terms.family } = addressTerms
  requireCondition(
    family === terms.family,
    `charge.addressTerms.family is ${family}, but the addresses are not`,
  )
  return terms
}

function computeTerms(charge: ChargeTerms, factory: string | undefined): CheckedTerms {
  try {
    return checkTerms(charge, { factory })
  } catch (error) {
    if (error instanceof AddressMismatch) throw new EvidenceError(error.message)
    throw error
  }
}

function readHash(text: string): Hex {
  const hash = text.toLowerCase()
  requireCondition(/^0x[0-9a-f]{64}$/.test(hash), `${JSON.stringify(text)} is not the hash of a block`)
  return hash as Hex
}

type Context = { readonly terms: CheckedTerms; readonly tokens: readonly string[] }

async function verifyTransaction(
  transaction: EvidenceTransaction,
  context: Context,
): Promise<VerifiedTransaction> {
  const { network, chainId, txHash, block, proof, logs } = transaction
  requireCondition(proof !== null, `block ${block.number} has no proof`)
  requireCondition(logs.length > 0, `the transaction ${txHash} has no logs`)
  const receiptLogs = await proveLogs(block, proof)
  const { verified, paid } = verifyLogs({ ...context, network, chainId, logs, receiptLogs })
  const { transactionIndex } = proof
  return { ...{ network, chainId, txHash, block, transactionIndex }, logs: verified, paid }
}

async function proveLogs(
  block: EvidenceTransaction['block'],
  { header, transactionIndex: index, receiptNodes }: EvidenceProof,
): Promise<readonly ReceiptLog[]> {
  requireCondition(keccak256(header) === block.hash, `the header does not have the hash ${block.hash}`)
  const decoded = decodeHeader(header)
  requireCondition(decoded !== null, `the header of block ${block.hash} has an unknown form`)
  const { number, timestamp, receiptsRoot: root } = decoded
  requireCondition(
    number === block.number,
    `block ${block.hash} has the number ${number}, not ${block.number}`,
  )
  const time = new Date(timestamp * 1_000).toISOString()
  requireCondition(time === block.time, `block ${block.hash} was made at ${time}, not at ${block.time}`)
  const encoded = await findProvenReceipt(receiptNodes, { root, index })
  requireCondition(encoded !== null, `the proof does not lead to receipt ${index} of block ${block.hash}`)
  const receipt = decodeReceipt(encoded)
  requireCondition(receipt !== null, `receipt ${index} of block ${block.hash} has an unknown form`)
  requireCondition(receipt.isSuccess, `transaction ${index} of block ${block.hash} failed`)
  return receipt.logs
}

/** Rejects a transaction that is listed twice, whose payments would be counted twice. */
function requireDistinct(verified: readonly VerifiedTransaction[]): void {
  const keys = verified.map(({ block, transactionIndex }) => `${block.hash}/${transactionIndex}`)
  requireCondition(new Set(keys).size === keys.length, 'the evidence lists a transaction twice')
}

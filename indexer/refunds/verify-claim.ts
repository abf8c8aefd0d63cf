import { concatHex, encodeFunctionData, parseAbi } from 'viem'
import type { ChainClient } from '../../shared/chain/nodes/client.ts'
import { hasHalted, hasReverted } from '../../shared/chain/nodes/node-errors.ts'
import { queryHead } from '../../shared/chain/nodes/query-head.ts'
import { queryQuorum } from '../../shared/chain/nodes/query-nodes.ts'
import { requireAgreed } from '../../shared/chain/nodes/quorum.ts'
import type { Address, Hex } from '../../shared/domain/address.ts'
import { AppError } from '../../shared/domain/errors.ts'
import { recoverKeySigner } from '../../shared/domain/recover-key-signer.ts'
import { type ClaimTerms, hashRefundClaim } from '../../shared/domain/refund/refund-claim.ts'
import type { CheckedChain } from '../corroboration/checked-chain.ts'

/** A claim, its signature, and the account that must have signed. */
export type SignedClaim = {
  readonly terms: ClaimTerms
  readonly signer: Address
  readonly signature: Hex
}

const ABI = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])

/** The word that a contract returns for a valid signature (ERC-1271). */
const MAGIC = concatHex(['0x1626ba7e', `0x${'00'.repeat(28)}`])

/**
 * Gas limit of the call, far above the cost of any wallet's check. The limit bounds the work that a hostile contract
 * can cause on a node.
 */
const ENOUGH_GAS = 5_000_000n

/**
 * Requires that an account signed a claim: either the account's code accepts the signature (ERC-1271), or the account's
 * key signed and the account has no code or only delegated code. A quorum must report the same result at one block.
 *
 * @throws {AppError} `validation_error`, param `signature`; `rpc_unavailable` if no quorum agrees
 */
export async function requireSignedClaim(
  { chain }: Pick<CheckedChain, 'chain'>,
  { terms, signer, signature }: SignedClaim,
): Promise<void> {
  const hash = hashRefundClaim(terms)
  const isByKey = (await recoverKeySigner(hash, signature)) === signer
  const { value: head } = await queryHead(chain)
  const data = encodeFunctionData({ abi: ABI, args: [hash, signature] })
  const call = { to: signer, data, gas: ENOUGH_GAS, blockNumber: BigInt(head.number) }
  const verdict = await queryQuorum(chain, {
    read: async ({ client }) => judge(client, call),
    toText: String,
  })
  const { value } = requireAgreed(verdict, `the code of ${signer}`)
  if (value === 'accepted' || (isByKey && value !== 'rejected by contract')) return
  throw new AppError('validation_error', `the signature was not made by ${signer} for this refund`, {
    param: 'signature',
  })
}

type Call = Parameters<ChainClient['call']>[0] & { readonly to: Address; readonly blockNumber: bigint }

/**
 * The verdict of an account's code on a signature. Only `rejected by contract` overrules a signature by the account's
 * key.
 */
type Judgement = 'no code' | 'accepted' | 'rejected by contract' | 'rejected by delegate'

/** Prefix of the code of an account that delegates to a contract (EIP-7702). The account's key can still sign. */
const DELEGATION_PREFIX = '0xef0100'

async function judge(client: ChainClient, call: Call): Promise<Judgement> {
  const { to: address, blockNumber } = call
  const code = (await client.getCode({ address, blockNumber })) ?? '0x'
  if (code === '0x') return 'no code'
  if (await isAccepted(client, call)) return 'accepted'
  const isDelegated = code.startsWith(DELEGATION_PREFIX) && code.length === 48
  return isDelegated ? 'rejected by delegate' : 'rejected by contract'
}

async function isAccepted(client: ChainClient, call: Call): Promise<boolean> {
  try {
    return (await client.call(call)).data === MAGIC
  } catch (error) {
    if (hasReverted(error) || hasHalted(error)) return false
    throw error
  }
}

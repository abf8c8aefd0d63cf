import { BaseError, decodeFunctionData, type Hex as ViemHex } from 'viem'
import { paymentSplitFactoryAbi } from '../../shared/chain/abi/payment-split-factory.ts'
import { type Address, type ChainFamilyName, type Hex, parseEvmAddress } from '../../shared/domain/address.ts'
import type { Split } from '../../shared/domain/allocation.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import {
  ANY_DISTRIBUTOR,
  DISTRIBUTOR_BYTE_OFFSET,
  encodeDistribution,
} from '../../shared/domain/distribution-call.ts'
import { TOKENS, type Token } from '../../shared/domain/networks.ts'

/**
 * Trusted facts about a chain: from this release, the keeper's configuration and the keeper's own node. None comes from
 * the keeper feed, which is the API's list and stream of pending distributions.
 */
export type TrustedChain = {
  readonly network: string
  readonly family: ChainFamilyName
  readonly chainId: number
  /** The chain family's fixed factory, otherwise the deployment's factory. The keeper has verified its code. */
  readonly factory: Address
  readonly tokens: readonly { readonly token: Token; readonly address: Address; readonly decimals: number }[]
}

/**
 * A validated distribution. `split` and `salt` come from the offered call; all other values are trusted or computed.
 */
export type CheckedDistribution = {
  readonly network: string
  readonly family: ChainFamilyName
  readonly factory: Address
  readonly token: Token
  readonly tokenAddress: Address
  readonly decimals: number
  readonly split: Split
  /** The salt of the split, 32 bytes. */
  readonly salt: Hex
  /** The address of the split, computed from the terms. It holds the money to distribute, if there is any. */
  readonly splitAddress: Address
}

/** Thrown if a keeper must not sign for an offered distribution. The message gives the reason. */
export class DistributionRejected extends Error {}

/**
 * Maximum size of a call in bytes, with 16 recipients: a selector of 4 bytes, then words of 32 bytes. The arguments
 * take 4 words, the head of the terms 4, each of the two lists in the terms 17 (length and 16 entries), and the list
 * with one token 2.
 */
const MAX_CALL_BYTES = 4 + 32 * (4 + 4 + 2 * (1 + 16) + 2)

/**
 * Validates a distribution that the keeper feed offers. It must be a single call of the trusted factory, on the chain
 * of the keeper's own node, that distributes one of the keeper's tokens from the split that the call's terms define.
 *
 * The keeper feed is not trusted, so the keeper signs the output of `encodeDistribution` for the terms, never bytes of
 * the feed.
 *
 * @throws {DistributionRejected}
 */
export function checkDistribution(offered: unknown, chain: TrustedChain): CheckedDistribution {
  const distribution = requireRecord(offered, 'the distribution')
  const call = requireRecord(distribution['call'], 'call')
  requireSame('network', distribution['network'], chain.network)
  requireSame('chainId', distribution['chainId'], chain.chainId)
  const { family, factory } = chain
  requireAddress('factoryAddress', distribution['factoryAddress'], { expected: factory, family })
  requireAddress('call.to', call['to'], { expected: factory, family })
  requireSame('call.distributorOffset', call['distributorOffset'], DISTRIBUTOR_BYTE_OFFSET)
  // The service never offers a call with a value. Other fields of the call, such as its limits, are ignored and never
  // signed.
  if ('value' in call)
    throw new DistributionRejected('call.value is set: a distribution sends no native coin')

  const token = TOKENS.find((name) => name === distribution['token'])
  const known = chain.tokens.find((entry) => entry.token === token)
  if (!known)
    throw new DistributionRejected(
      `token ${truncate(distribution['token'])} is not known on ${chain.network}`,
    )
  requireAddress('tokenAddress', distribution['tokenAddress'], { expected: known.address, family })

  const { split, salt } = decodeCall(call['data'], known.address)
  const splitAddress = predict(chain, { split, salt })
  requireAddress('splitAddress', distribution['splitAddress'], { expected: splitAddress, family })
  return {
    ...{ network: chain.network, family, factory },
    ...{ token: known.token, tokenAddress: known.address, decimals: known.decimals },
    ...{ split, salt, splitAddress },
  }
}

/**
 * Decodes the call, and requires that encoding the decoded terms again gives exactly the same bytes. The distributor
 * must be the zero address, which the keeper replaces with its own address in the call that it signs.
 */
function decodeCall(data: unknown, token: Address): { readonly split: Split; readonly salt: Hex } {
  if (typeof data !== 'string' || !/^0x(?:[0-9a-f]{2})*$/.test(data.slice(0, 2 + 2 * MAX_CALL_BYTES))) {
    throw new DistributionRejected('call.data is not hex in lowercase')
  }
  const bytes = (data.length - 2) / 2
  if (bytes > MAX_CALL_BYTES) {
    throw new DistributionRejected(`call.data has ${bytes} bytes, above the maximum ${MAX_CALL_BYTES}`)
  }
  const [terms, salt, tokens] = decodeArgs(data as ViemHex)
  if (tokens.length !== 1 || parseEvmAddress(tokens[0] ?? '') !== token) {
    throw new DistributionRejected(`call.data distributes ${truncate(tokens.join(', '))}, not only ${token}`)
  }
  const split: Split = {
    // viem returns only valid addresses, so `parseEvmAddress` cannot fail here. A split with the zero address would be
    // rejected, because no split can pay it.
    recipients: terms.recipients.map((recipient) => parseEvmAddress(recipient) ?? ANY_DISTRIBUTOR),
    allocations: terms.allocations.map(Number),
    totalAllocation: Number(terms.totalAllocation),
    distributionIncentive: terms.distributionIncentive,
  }
  if (encodeDistribution({ split, salt, token, distributor: ANY_DISTRIBUTOR }) !== data) {
    throw new DistributionRejected(
      'call.data differs from the call that its terms encode to with the zero address as distributor',
    )
  }
  return { split, salt }
}

function decodeArgs(data: ViemHex) {
  try {
    const { functionName, args } = decodeFunctionData({ abi: paymentSplitFactoryAbi, data })
    if (functionName === 'createAndDistribute') return args
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
  }
  throw new DistributionRejected(
    `call.data ${data.slice(0, 10)}… is not a createAndDistribute call of the factory`,
  )
}

function predict(
  { family, factory }: TrustedChain,
  { split, salt }: { readonly split: Split; readonly salt: Hex },
): Address {
  try {
    const address = CHAIN_FAMILIES[family].predictSplit({ factory, split, salt })
    if (address !== null) return address
  } catch (error) {
    throw new DistributionRejected(
      `no split can be deployed with these terms: ${truncate((error as Error).message)}`,
    )
  }
  throw new DistributionRejected(
    `the factory ${presentAddress(factory, family)} does not have this release's code`,
  )
}

function requireRecord(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  throw new DistributionRejected(`${name} is ${truncate(value)}, not an object`)
}

function requireSame(name: string, value: unknown, expected: string | number): void {
  if (value !== expected) throw new DistributionRejected(`${name} is ${truncate(value)}, not ${expected}`)
}

function requireAddress(
  name: string,
  value: unknown,
  { expected, family }: { readonly expected: Address; readonly family: ChainFamilyName },
): void {
  const isSame = typeof value === 'string' && CHAIN_FAMILIES[family].parseAddress(value) === expected
  if (isSame) return
  throw new DistributionRejected(`${name} is ${truncate(value)}, not ${presentAddress(expected, family)}`)
}

/** Returns untrusted text, truncated to fit a log line; for any other value, the name of its type. */
function truncate(value: unknown): string {
  const text = typeof value === 'string' ? value : typeof value
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

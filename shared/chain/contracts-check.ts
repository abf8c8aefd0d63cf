import { keccak256 } from 'viem'
import type { Address, AddressFamily } from '../domain/address.ts'
import { FAMILIES, splitFactoryOf } from '../domain/families/families.ts'
import type { ChainClient } from './client.ts'
import { isForeign } from './node-errors.ts'
import type { ChainNodes } from './nodes/chain-nodes.ts'
import { queryQuorum } from './nodes/query-nodes.ts'
import type { Verdict } from './nodes/quorum.ts'

/**
 * What a chain has where our contracts belong: ours; other code; none at all; no quorum of nodes reports the same; every
 * node serves another chain than the configured one; or nobody has configured where they are.
 */
export type ContractsCheck = CodeCheck | 'unreachable' | 'wrong_chain' | 'unconfigured'

type CodeCheck = 'match' | 'differ' | 'missing'

/**
 * Compares the code of factory and implementation on a chain, as a quorum of nodes reports it, with the committed bytecode,
 * by its hash.
 *
 * Reads two codes of each node. A charge's address is a promise that this very code stands there: a network where it does
 * not must not be offered (decisions 2.3).
 */
export async function checkContracts(
  chain: ChainNodes,
  deployment: { readonly family: AddressFamily; readonly splitFactory?: Address | undefined },
): Promise<ContractsCheck> {
  const factory = splitFactoryOf(deployment)
  const expected = factory && FAMILIES[deployment.family].splitCodeOf(factory)
  if (factory === null || expected === null) return 'unconfigured'
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => readCheck(client, { factory, ...expected }),
    toText: String,
  })
  if (verdict.outcome === 'agreed') return verdict.agreed.value
  return areAllForeign(chain, verdict) ? 'wrong_chain' : 'unreachable'
}

type ExpectedCode = NonNullable<ReturnType<(typeof FAMILIES)[AddressFamily]['splitCodeOf']>> & {
  readonly factory: Address
}

async function readCheck(client: ChainClient, expected: ExpectedCode): Promise<CodeCheck> {
  const [factoryCode, implementationCode] = await Promise.all([
    client.getCode({ address: expected.factory }),
    client.getCode({ address: expected.implementation }),
  ])
  if (factoryCode === undefined || implementationCode === undefined) return 'missing'
  return keccak256(factoryCode) === expected.factoryCodeHash &&
    keccak256(implementationCode) === expected.implementationCodeHash
    ? 'match'
    : 'differ'
}

/** A node that did not respond, or that responded for the chain, may yet be one of a quorum. */
function areAllForeign({ nodes }: ChainNodes, verdict: Verdict<CodeCheck>): boolean {
  const silent = verdict.outcome === 'waiting' ? verdict.silent : []
  return silent.length === nodes.length && silent.every(({ error }) => isForeign(error))
}

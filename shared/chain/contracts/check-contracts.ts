import { keccak256 } from 'viem'
import type { Address, ChainFamilyName } from '../../domain/address.ts'
import { CHAIN_FAMILIES, getSplitFactory } from '../../domain/chain-families/chain-families.ts'
import type { ChainNodes } from '../nodes/chain-nodes.ts'
import type { ChainClient } from '../nodes/client.ts'
import { isWrongChain } from '../nodes/node-errors.ts'
import { queryQuorum } from '../nodes/query-nodes.ts'
import type { Verdict } from '../nodes/quorum.ts'

/**
 * Result of `checkContracts`. In this order: our code; other code; no code; no quorum; every node serves another chain;
 * no known factory is configured.
 */
export type ContractsCheck = CodeCheck | 'unreachable' | 'wrong_chain' | 'unconfigured'

type CodeCheck = 'match' | 'differ' | 'missing'

/**
 * Compares the code hashes of factory and implementation, as a quorum reports them, with the bytecode in this
 * repository. A charge's address commits to exactly this code, so a network with other code must not be available for
 * charges (decisions 2.3).
 */
export async function checkContracts(
  chain: ChainNodes,
  deployment: { readonly family: ChainFamilyName; readonly splitFactory?: Address | undefined },
): Promise<ContractsCheck> {
  const factory = getSplitFactory(deployment)
  const expected = factory && CHAIN_FAMILIES[deployment.family].splitCodeOf(factory)
  if (factory === null || expected === null) return 'unconfigured'
  const verdict = await queryQuorum(chain, {
    read: ({ client }) => readCheck(client, { factory, ...expected }),
    toText: String,
  })
  if (verdict.outcome === 'agreed') return verdict.agreed.value
  return areAllForeign(chain, verdict) ? 'wrong_chain' : 'unreachable'
}

type ExpectedCode = NonNullable<ReturnType<(typeof CHAIN_FAMILIES)[ChainFamilyName]['splitCodeOf']>> & {
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

/**
 * Returns whether every node serves another chain. Any other node might still contribute to a quorum.
 */
function areAllForeign({ nodes }: ChainNodes, verdict: Verdict<CodeCheck>): boolean {
  const silent = verdict.outcome === 'waiting' ? verdict.silent : []
  return silent.length === nodes.length && silent.every(({ error }) => isWrongChain(error))
}

import { keccak256 } from 'viem'
import type { Address, AddressFamily } from '../domain/address.ts'
import { FAMILIES, splitFactoryOf } from '../domain/families/families.ts'
import type { ChainClient } from './client.ts'
import { isForeign } from './node-errors.ts'

/**
 * What a chain has where our contracts belong: ours; other code; none at all; no answer; every node that answers serves
 * another chain than the configured one; or nobody has configured where they are.
 */
export type ContractsCheck = 'match' | 'differ' | 'missing' | 'unreachable' | 'wrong_chain' | 'unconfigured'

/**
 * Compares the code of factory and implementation on a chain with the committed bytecode, by its hash.
 *
 * Reads two codes. A charge's address is a promise that this very code stands there: a network
 * where it does not must not be offered (decisions 2.3).
 */
export async function checkContracts(
  client: ChainClient,
  deployment: { readonly family: AddressFamily; readonly splitFactory?: Address | undefined },
): Promise<ContractsCheck> {
  const factory = splitFactoryOf(deployment)
  const expected = factory && FAMILIES[deployment.family].splitCodeOf(factory)
  if (factory === null || expected === null) return 'unconfigured'
  try {
    const [factoryCode, implementationCode] = await Promise.all([
      client.getCode({ address: factory }),
      client.getCode({ address: expected.implementation }),
    ])
    if (factoryCode === undefined || implementationCode === undefined) return 'missing'
    return keccak256(factoryCode) === expected.factoryCodeHash &&
      keccak256(implementationCode) === expected.implementationCodeHash
      ? 'match'
      : 'differ'
  } catch (error) {
    // Whatever went wrong, it was in asking: nothing was learnt about the contracts.
    return isForeign(error) ? 'wrong_chain' : 'unreachable'
  }
}

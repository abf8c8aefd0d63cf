import { type Hex, keccak256 } from 'viem'

import constants from '../../contracts/artifacts/split-constants.json' with { type: 'json' }
import { SPLIT_FACTORY, SPLIT_IMPLEMENTATION } from '../domain/split-address.ts'
import type { ChainClient } from './client.ts'
import { isForeign } from './node-errors.ts'

/**
 * What a chain has where our contracts belong: ours; other code; none at all; no answer; or every node that answers
 * serves another chain than the configured one.
 */
export type ContractsCheck = 'match' | 'differ' | 'missing' | 'unreachable' | 'wrong_chain'

/**
 * Compares the code of factory and implementation on a chain with the committed bytecode, by its hash.
 *
 * Reads two codes. A charge's address is a promise that this very code stands there: a network
 * where it does not must not be offered (decisions 2.3).
 */
export async function checkContracts(client: ChainClient): Promise<ContractsCheck> {
  try {
    const [factory, implementation] = await Promise.all([
      client.getCode({ address: SPLIT_FACTORY }),
      client.getCode({ address: SPLIT_IMPLEMENTATION }),
    ])
    if (factory === undefined || implementation === undefined) return 'missing'
    return isOurs(factory, constants.factoryRuntimeCodeHash) &&
      isOurs(implementation, constants.implementationRuntimeCodeHash)
      ? 'match'
      : 'differ'
  } catch (error) {
    // Whatever went wrong, it was in asking: nothing was learnt about the contracts.
    return isForeign(error) ? 'wrong_chain' : 'unreachable'
  }
}

function isOurs(code: Hex, codeHash: string): boolean {
  return keccak256(code) === codeHash
}

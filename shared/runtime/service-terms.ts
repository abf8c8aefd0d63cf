import { CHAIN_FAMILY_NAMES } from '../domain/address.ts'
import type { ServiceTerms } from '../domain/find-terms-problem.ts'
import { ENVIRONMENTS } from '../domain/networks.ts'
import type { SplitFactories } from './networks-config.ts'
import type { Fees, Treasury } from './process-config.ts'

/** Lists the terms of new charges for each family and environment with a configured factory and treasury. */
export function listServiceTerms(config: {
  readonly fees: Fees
  readonly treasury: Treasury
  readonly splitFactories: SplitFactories
}): readonly ServiceTerms[] {
  const { fees, treasury, splitFactories } = config
  return CHAIN_FAMILY_NAMES.flatMap((family) =>
    ENVIRONMENTS.flatMap((environment) => {
      const [factory, payee] = [splitFactories[environment][family], treasury[family]]
      return factory === null || payee === null
        ? []
        : [{ ...fees, family, environment, factory, treasury: payee }]
    }),
  )
}

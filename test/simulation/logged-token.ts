import type { Address } from '../../shared/domain/address.ts'
import type { Token } from '../../shared/domain/networks.ts'
import type { IndexerDeployment } from '../../shared/runtime/indexer-config.ts'

/** A token, and the contract that logs its transfers: on Arc, a system contract with other decimals. */
export type LoggedToken = {
  readonly token: Token
  readonly address: Address
  readonly decimals: number
  readonly emitter: { readonly address: Address; readonly decimals: number }
}

type Tokens = Pick<IndexerDeployment, 'tokens'>

export function listLoggedTokens({ tokens }: Tokens): readonly LoggedToken[] {
  return tokens.map(({ token, address, decimals, transferEmitter }) => ({
    ...{ token, address, decimals },
    emitter: {
      address: transferEmitter?.address ?? address,
      decimals: transferEmitter?.decimals ?? decimals,
    },
  }))
}

/** Returns the token whose transfers a contract logs. */
export function findLoggedToken(deployment: Tokens, emitter: Address): LoggedToken | undefined {
  return listLoggedTokens(deployment).find((each) => each.emitter.address === emitter)
}

/** Returns a logged amount in 10⁻¹⁸ dollars. */
export function attoOf({ emitter }: LoggedToken, logged: bigint): bigint {
  return logged * 10n ** BigInt(18 - emitter.decimals)
}

/** Converts an amount in units of a token to the units of its logs. */
export function toLogged({ decimals, emitter }: LoggedToken, amountAtomic: bigint): bigint {
  return amountAtomic * 10n ** BigInt(emitter.decimals - decimals)
}

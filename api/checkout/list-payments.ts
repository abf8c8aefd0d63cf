import { encodeFunctionData, erc20Abi } from 'viem'
import type { Address } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { formatDecimal } from '../../shared/domain/decimal.ts'
import type { AtomicUnits } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Environment, Network, Pair } from '../../shared/domain/networks.ts'
import type { PaymentOption } from '../../shared/domain/payment-options.ts'
import { paymentUri } from '../../shared/domain/payment-uri.ts'
import { networkName } from './translate.ts'

export type Payment = Pair & {
  readonly chainId: number
  readonly tokenAddress: string
  readonly decimals: number
  /** Amount of the token to send, a decimal. It is rounded up to the token's smallest unit. */
  readonly amount: string
  readonly amountAtomic: string
  /** An EIP-681 link; on TRON, a link in the common format of wallets (decisions 3.11). */
  readonly uri: string
  /** The call that the payer's wallet sends; `null` if wallets of this chain family take no call data. */
  readonly transfer: { readonly to: string; readonly data: string } | null
  /** Data with which a wallet can add the network; `null` for a chain that is not in the registry. */
  readonly chain: {
    readonly name: string
    readonly explorer: string
    readonly rpcUrls: readonly string[]
    readonly nativeCurrency: { readonly symbol: string; readonly decimals: number }
  } | null
}

/** Returns one way to pay for each option on which an amount is due. */
export function listPayments(
  { family, address: recipient, environment }: ChargeRecord,
  options: readonly PaymentOption[],
): readonly Payment[] {
  return options.flatMap(({ token, network, chainId, tokenAddress, decimals, dueAtomic: amountAtomic }) => {
    if (amountAtomic === null) return []
    const payment = {
      ...{ token, network, chainId, decimals },
      tokenAddress: presentAddress(tokenAddress, family),
      amount: formatDecimal(amountAtomic, decimals),
      amountAtomic: String(amountAtomic),
      uri: paymentUri({ family, chainId, tokenAddress, decimals, recipient, amountAtomic }),
      transfer: CHAIN_FAMILIES[family].takesCallData
        ? { to: presentAddress(tokenAddress, family), data: encodeTransfer(recipient, amountAtomic) }
        : null,
      chain: findChain({ network, environment, chainId }),
    }
    return [payment]
  })
}

function encodeTransfer(recipient: Address, amountAtomic: AtomicUnits): string {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [recipient, amountAtomic] })
}

/**
 * Returns the registry's data for a chain, with public nodes. Returns `null` if the registry has no chain, or a chain
 * with another id, for this network and environment, as on a developer's machine.
 */
export function findChain(on: {
  readonly network: Network
  readonly environment: Environment
  readonly chainId: number
}): Payment['chain'] {
  const facts = REGISTRY[on.network][on.environment]
  if (facts === null || facts.chainId !== on.chainId) return null
  const { explorer, rpcUrls, nativeCurrency } = facts
  return {
    name: `${networkName(on.network)}${on.environment === 'test' ? ' test network' : ''}`,
    explorer,
    rpcUrls,
    nativeCurrency,
  }
}

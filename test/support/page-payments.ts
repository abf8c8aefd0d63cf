import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { getTransactionCount } from 'viem/actions'
import type { Hex } from '../../shared/domain/address.ts'
import type { Devnet } from '../devnet/devnet.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { chainAt, type FakeWallet, injectWallet, type WalletWays } from './fake-wallet.ts'
import { type ChargeJson, testClient, waitForCharge } from './scenario.ts'

/** Creates actions on a payer's wallet and the chains behind a page. Each action calls `devnetOf` when it runs. */
export function paymentsOn(devnetOf: () => Devnet) {
  const chainOf = (network: 'base' | 'bnb') => {
    const { live } = devnetOf().description.networks[network] ?? {}
    return live ?? expect.fail(`the devnet has no live ${network}`)
  }
  const isPending = async (address: Hex): Promise<boolean> => {
    const count = (blockTag: 'latest' | 'pending') =>
      getTransactionCount(testClient(devnetOf()), { address, blockTag })
    return (await count('pending')) > (await count('latest'))
  }
  return {
    chainOf,
    /** Installs a wallet in the page before the page is opened. The wallet is on base and can switch to bnb. */
    injectWallet: (page: Page, change: Partial<WalletWays> = {}): Promise<FakeWallet> => {
      const [base, bnb] = [chainOf('base'), chainOf('bnb')]
      const { payer, payer2 } = devnetOf().description.accounts
      return injectWallet(page, {
        chains: { [base.chainId]: chainAt(base.rpcUrl), [bnb.chainId]: chainAt(bnb.rpcUrl) },
        chainId: base.chainId,
        accounts: [payer.address, payer2.address],
        ...change,
      })
    },
    untilReceived: ({ id }: ChargeJson, amount: string) =>
      waitForCharge(devnetOf(), id, {
        ...{ what: `paid ${amount}`, holds: ({ amountReceivedExact }) => amountReceivedExact === amount },
      }),
    untilItIs: ({ id }: ChargeJson, status: ChargeJson['status']) =>
      waitForCharge(devnetOf(), id, { what: status, holds: (charge) => charge.status === status }),
    /** Runs `act` while only `mine` creates blocks on base. */
    whileNothingIsMined: async (act: (mine: () => Promise<void>) => Promise<void>): Promise<void> => {
      const chain = testClient(devnetOf())
      await chain.setIntervalMining({ interval: 0 })
      try {
        await act(() => chain.mine({ blocks: 1 }))
      } finally {
        await chain.setIntervalMining({ interval: 1 })
      }
    },
    /** Waits until a payer has a pending transaction on base. The relayer's transactions do not count. */
    untilPending: () => {
      const { payer, payer2 } = devnetOf().description.accounts
      return waitFor(async () => (await isPending(payer.address)) || isPending(payer2.address), {
        ...{ what: 'a pending transaction of a payer', timeoutMs: 60_000 },
      })
    },
  }
}

import { type Hex, type TransactionReceipt } from 'viem'
import { waitForReceipt } from '../../../shared/chain/nodes/wait-for-receipt.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import { ARC_USDC } from '../../devnet/arc/addresses.ts'
import { createArcWallet } from '../../devnet/arc/arc-wallet.ts'
import type { DevnetChain } from '../../devnet/networks.ts'
import { addressOf } from '../random-terms.ts'
import { TRANSFER_EVENT } from '../transfer-event.ts'
import { encodeChargeDistribution, encodeChargeRelease, KEEPER_GAS } from './encode-split-calls.ts'
import type { MoneyChain } from './money-chain.ts'

/** The address that emits a log of every transfer of Arc's native coin, with 18 decimals. */
const EMITTER = '0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE'
/** One unit of the token, in units of the coin. */
const UNIT_WEI = 10n ** 12n

/**
 * Creates a `MoneyChain` on the devnet's Arc. The native coin is the token, so `readBalance` adds the gas that payers
 * spent.
 */
export function createArcMoney({ anvil }: DevnetChain): MoneyChain {
  const wallets = [ACCOUNTS.payer, ACCOUNTS.payer2].map((account) => createArcWallet(anvil, account))
  const keeper = createArcWallet(anvil, ACCOUNTS.keeper)
  const issuer = createArcWallet(anvil, ACCOUNTS.deployer)
  const payers = [ACCOUNTS.payer, ACCOUNTS.payer2].map(({ address }) => addressOf(address))
  const gasOf = new Map<Address, bigint>()
  const { client } = keeper

  function noteGas({ from, gasUsed, effectiveGasPrice }: TransactionReceipt): void {
    const payer = addressOf(from)
    gasOf.set(payer, (gasOf.get(payer) ?? 0n) + gasUsed * effectiveGasPrice)
  }

  async function sendAsKeeper(call: { readonly to: Address; readonly data: Hex }): Promise<void> {
    const hash = await keeper.wallet.sendTransaction({ ...call, gas: KEEPER_GAS })
    await waitForReceipt(client, hash, { timeoutMs: 60_000, intervalMs: 50 })
  }

  return {
    ...{ network: 'arc', tokens: ['USDC'], restrictable: 'USDC', decimals: 6, unitAtto: 1n },
    ...{ payers, strayPayer: addressOf(ACCOUNTS.payer.address) },
    pay: async ({ to, payer, amountAtto }) => {
      const wallet = wallets[payers.indexOf(payer)]
      const address = to as Address
      const isWhole = amountAtto % UNIT_WEI === 0n
      const sent = isWhole
        ? wallet?.sendToken(address, amountAtto / UNIT_WEI)
        : wallet?.sendNative(address, amountAtto)
      noteGas(await requirePayer(sent))
    },
    distribute: ({ charge, distributor }) =>
      sendAsKeeper(encodeChargeDistribution(charge, { token: ARC_USDC, distributor })),
    release: ({ charge, recipient }) =>
      sendAsKeeper(encodeChargeRelease(charge, { token: ARC_USDC, recipient })),
    restrict: async (account, isRestricted) => void (await issuer.setBlacklisted(account, isRestricted)),
    untilMined: () => Promise.resolve(),
    listTransfers: async () => {
      const logs = await client.getLogs({
        address: EMITTER,
        event: TRANSFER_EVENT,
        fromBlock: 0n,
        strict: true,
      })
      return logs.map(({ args: { from, to, value } }) => ({
        ...{ from: addressOf(from), to: addressOf(to), amountAtto: value },
      }))
    },
    readBalance: async (_, account) =>
      (await client.getBalance({ address: account as Hex })) + (gasOf.get(account) ?? 0n),
  }
}

function requirePayer<Sent>(sent: Promise<Sent> | undefined): Promise<Sent> {
  if (sent === undefined) throw new Error('the payer is not an account that pays on this chain')
  return sent
}

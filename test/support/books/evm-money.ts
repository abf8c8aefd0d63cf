import { randomBytes } from 'node:crypto'
import { encodeFunctionData, erc20Abi, type Hex, parseAbi, parseUnits, toHex } from 'viem'
import { waitForReceipt } from '../../../shared/chain/nodes/wait-for-receipt.ts'
import type { Token } from '../../../shared/domain/networks.ts'
import { ACCOUNTS } from '../../devnet/accounts.ts'
import type { Devnet } from '../../devnet/devnet.ts'
import { requireMined } from '../../devnet/require-mined.ts'
import { findToken } from '../../devnet/send-tokens.ts'
import { addressOf } from '../random-terms.ts'
import { testClient } from '../scenario.ts'
import { TRANSFER_EVENT } from '../transfer-event.ts'
import { encodeChargeDistribution, encodeChargeRelease, KEEPER_GAS } from './encode-split-calls.ts'
import type { MoneyChain } from './money-chain.ts'

const ISSUER = parseAbi(['function blacklist(address account)', 'function unBlacklist(address account)'])
const PATIENCE = { timeoutMs: 60_000, intervalMs: 200 }
const PAYERS = 2
/** Initial amount of each token per payer, in whole tokens. */
const TOKENS_EACH = '1000000'

type Transfer = { readonly from: string; readonly to: string; readonly units: bigint }

/** Creates a `MoneyChain` on one of the devnet's anvil chains. Its payers are new, funded accounts. */
export async function createEvmMoney(devnet: Devnet, network: 'base' | 'bnb'): Promise<MoneyChain> {
  const tokens: readonly Token[] = ['USDC', 'USDT']
  const { client } = findToken(devnet.description, { token: 'USDC', network })
  const node = testClient(devnet, network)
  const payers = Array.from({ length: PAYERS }, () => addressOf(toHex(randomBytes(20))))
  const sent: { readonly hash: Hex; readonly canRevert: boolean }[] = []
  const tokenOf = (token: Token) => findToken(devnet.description, { token, network }).token
  const scaleOf = (token: Token) => 10n ** BigInt(18 - tokenOf(token).decimals)

  async function send(from: string, call: { to: string; data: Hex; gas?: Hex }): Promise<void> {
    const params = [{ ...call, from }]
    const hash = await client.request<{
      Method: 'eth_sendTransaction'
      Parameters: unknown
      ReturnType: Hex
    }>({
      method: 'eth_sendTransaction',
      params,
    })
    sent.push({ hash, canRevert: call.gas !== undefined })
  }

  function transfer(token: Token, { from, to, units }: Transfer): Promise<void> {
    const args = [addressOf(to), units] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    return send(from, { to: tokenOf(token).address, data })
  }

  async function untilMined(): Promise<void> {
    for (const { hash, canRevert } of sent.splice(0))
      await (canRevert ? waitForReceipt(client, hash, PATIENCE) : requireMined(client, hash))
  }

  for (const payer of payers) {
    await node.impersonateAccount({ address: payer })
    await node.setBalance({ address: payer, value: 10n ** 20n })
    for (const token of tokens)
      await transfer(token, {
        ...{ from: ACCOUNTS.payer.address, to: payer },
        units: parseUnits(TOKENS_EACH, tokenOf(token).decimals),
      })
  }
  await untilMined()

  return {
    ...{ network, tokens, payers, untilMined, strayPayer: addressOf(ACCOUNTS.payer.address) },
    restrictable: network === 'base' ? 'USDC' : null,
    ...{ decimals: network === 'bnb' ? 18 : 6, unitAtto: scaleOf('USDC') },
    pay: ({ token, to, payer, amountAtto }) =>
      transfer(token, { from: payer, to, units: amountAtto / scaleOf(token) }),
    distribute: ({ charge, token, distributor }) => {
      const call = encodeChargeDistribution(charge, { token: tokenOf(token).address, distributor })
      return send(ACCOUNTS.keeper.address, { ...call, gas: toHex(KEEPER_GAS) })
    },
    release: ({ charge, token, recipient }) => {
      const call = encodeChargeRelease(charge, { token: tokenOf(token).address, recipient })
      return send(ACCOUNTS.keeper.address, { ...call, gas: toHex(KEEPER_GAS) })
    },
    restrict: (account, isRestricted) => {
      const functionName = isRestricted ? 'blacklist' : 'unBlacklist'
      const data = encodeFunctionData({ abi: ISSUER, functionName, args: [account] })
      return send(ACCOUNTS.deployer.address, { to: tokenOf('USDC').address, data })
    },
    listTransfers: async (token) => {
      const { address } = tokenOf(token)
      const logs = await client.getLogs({ address, event: TRANSFER_EVENT, fromBlock: 0n, strict: true })
      return logs.map(({ args: { from, to, value } }) => ({
        ...{ from: addressOf(from), to: addressOf(to) },
        amountAtto: value * scaleOf(token),
      }))
    },
    readBalance: async (token, account) => {
      const { address } = tokenOf(token)
      const call = { address, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const
      return (await client.readContract(call)) * scaleOf(token)
    },
  }
}

import { type Abi, createWalletClient, encodeFunctionData, type Hex, http, zeroHash } from 'viem'
import { foundry } from 'viem/chains'
import entryPointArtifact from '../../contracts/artifacts/TestEntryPoint.json' with { type: 'json' }
import accountArtifact from '../../contracts/artifacts/TestSmartAccount.json' with { type: 'json' }
import usdcArtifact from '../../contracts/artifacts/TestUSDC.json' with { type: 'json' }
import { createChargeChecks } from '../../indexer/charge-checks/create-charge-checks.ts'
import { runChargeTurn } from '../../indexer/charges/charge-actor.ts'
import { createTurnFailureTracker } from '../../indexer/charges/turn-failure-tracker.ts'
import { createCheckedChain } from '../../indexer/corroboration/checked-chain.ts'
import { queryEffects } from '../../indexer/corroboration/query-effects.ts'
import { recordAgreed } from '../../indexer/corroboration/record-agreed.ts'
import { createRequestListener } from '../../indexer/requests/request-listener.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { DeploymentConfig } from '../../shared/runtime/networks-config.ts'
import { ACCOUNTS, type DevnetAccount, toSigner } from '../devnet/accounts.ts'
import { startTestApi } from './api.ts'
import { MINIMUM_PAYOUT } from './factories.ts'
import { nodesAt } from './nodes-at.ts'
import { startChain } from './payout-fixture.ts'
import { connectForTest } from './postgres.ts'
import { recordingLog } from './recording-log.ts'
import { startRpcProxy } from './rpc-proxy.ts'

export const CONFIRMATIONS = 3
const CHAIN_ID = 31337

/** Address of EntryPoint v0.7. */
const ENTRY_POINT: Address = '0x0000000071727de22e5e9d8baf0edac6f37da032' as Address
const SMART_ACCOUNT: Address = '0x000000000000000000000000000000005a4a7001' as Address

export type CheckFixture = Awaited<ReturnType<typeof createCheckFixture>>

/** Starts the API over HTTP and the daemon's checks, with a chain for `base` that mines on demand, and no Ponder. */
export async function createCheckFixture() {
  const [chain, api] = [await startChain(), await startTestApi()]
  const { node, token, usdt } = chain
  const proxy = await startRpcProxy(chain.rpcUrl)
  await node.setAutomine(false)
  await node.setCode({ address: ENTRY_POINT, bytecode: entryPointArtifact.deployedBytecode as Hex })
  await node.setCode({ address: SMART_ACCOUNT, bytecode: accountArtifact.deployedBytecode as Hex })
  await replaceBase(api.owner, { token, usdt })

  const sql = connectForTest(api.database.url.daemon)
  const { log, lines } = recordingLog()
  const now = (): Date => new Date()
  const actor = {
    sql,
    now,
    log,
    graceSeconds: 300,
    expiry: { silentSeconds: 900 },
    minimumPayoutOf: () => MINIMUM_PAYOUT,
    checkoutBaseUrl: null,
    swapProvider: null,
    failedTurns: createTurnFailureTracker(),
    onEvents: () => undefined,
  }
  const deployment = baseDeployment({ rpcUrl: proxy.url, token, usdt })
  const startChecks = (change: { readonly timeoutMs?: number } = {}) => {
    const started = createChargeChecks({
      ...{ sql, now, log, ...change },
      deployments: [deployment],
      takeTurn: (chargeId) => runChargeTurn(actor, chargeId),
    })
    started.start()
    return started
  }
  let checks = startChecks()
  const wake = createRequestListener(sql, { check: () => checks.wake() })
  await wake.start()

  const wallet = createWalletClient({ chain: foundry, transport: http(chain.rpcUrl), pollingInterval: 20 })
  /** Sends a transaction and mines it in its own block. */
  const send = async (
    account: DevnetAccount,
    call: { readonly to: Address; readonly data: Hex },
  ): Promise<Hex> => {
    const hash = await wallet.sendTransaction({ ...call, account: toSigner(account), gas: 1_000_000n })
    await node.mine({ blocks: 1 })
    return hash
  }
  const callToken = (functionName: string, args: readonly unknown[]): Hex =>
    encodeFunctionData({ abi: usdcArtifact.abi as Abi, functionName, args })
  const mint = (to: Address, amount: bigint) =>
    send(ACCOUNTS.deployer, { to: token, data: callToken('mint', [to, amount]) })
  for (const holder of [ACCOUNTS.payer.address, ACCOUNTS.payer2.address, SMART_ACCOUNT]) {
    await mint(holder as Address, 1_000_000_000n)
    await send(ACCOUNTS.deployer, { to: usdt, data: callToken('mint', [holder, 1_000_000_000n]) })
  }

  return {
    ...{ api, chain, proxy, lines, mint, smartAccount: SMART_ACCOUNT },
    mine: (blocks: number) => node.mine({ blocks }),
    /** Sends an ordinary transfer of this number of atomic units. */
    pay: (to: Address, amount = 10_000_000n, { from = ACCOUNTS.payer, of = token } = {}) =>
      send(from, { to: of, data: callToken('transfer', [to, amount]) }),
    /** Sends an ordinary transfer of 10 USDC to each address, all in one block. */
    payTogether: async (addresses: readonly Address[]): Promise<Hex[]> => {
      const account = toSigner(ACCOUNTS.payer)
      const nonce = await node.getTransactionCount({ address: account.address })
      const hashes: Hex[] = []
      for (const [index, to] of addresses.entries()) {
        const data = callToken('transfer', [to, 10_000_000n])
        const hash = await wallet.sendTransaction({
          account,
          to: token,
          data,
          gas: 100_000n,
          nonce: nonce + index,
        })
        hashes.push(hash)
      }
      await node.mine({ blocks: 1 })
      return hashes
    },
    /** Starts the daemon's checks again with other limits. */
    restartChecks: async (change?: Parameters<typeof startChecks>[0]): Promise<void> => {
      await checks.stop()
      checks = startChecks(change)
    },
    /**
     * Records all effects of a transaction at confirmation depth, and runs its charge's turn. In contrast, a check
     * records only payments.
     */
    corroborate: async (chargeId: string, txHash: Hex): Promise<void> => {
      const checked = createCheckedChain(deployment)
      const { blockNumber } = await node.getTransactionReceipt({ hash: txHash })
      const verdict = await queryEffects(checked.sources, { txHash, blockNumber: Number(blockNumber) })
      if (verdict.outcome !== 'agreed') throw new Error(`${txHash} has no receipt`)
      const effects = { txHash, effects: verdict.agreed, confirmedHeadNumber: Number(blockNumber) }
      await recordAgreed({ sql, log }, checked.deployment, [effects])
      await runChargeTurn(actor, chargeId)
    },
    /** Has the keeper send the call of a distribution, which creates the split. */
    distribute: (call: { readonly to: Address; readonly data: Hex }) => send(ACCOUNTS.keeper, call),
    /**
     * Has the payer send one bundle of the smart account's operations. Each operation transfers one of the amounts, in
     * atomic units.
     */
    payByUserOperations: (to: Address, amounts: readonly bigint[]) =>
      send(ACCOUNTS.payer, {
        to: ENTRY_POINT,
        data: handleOps(
          amounts.map((amount) => callToken('transfer', [to, amount])),
          token,
        ),
      }),
    close: async () => {
      await wake.stop()
      await checks.stop()
      await sql.end()
      await api.stop()
      await proxy.stop()
      await chain.stop()
    },
  }
}

type Tokens = { readonly token: Address; readonly usdt: Address }

async function replaceBase(sql: Awaited<ReturnType<typeof startTestApi>>['owner'], tokens: Tokens) {
  await sql`delete from pairs where chain_id = 8453`
  await sql`delete from deployments where chain_id = 8453`
  await sql`
    insert into deployments (chain_id, network, environment, family, confirmations, block_time_ms, contracts_match,
      max_head_at, quorum)
    values (${CHAIN_ID}, 'base', 'live', 'evm', ${CONFIRMATIONS}, 1000, true, now() + interval '1 hour', 1)`
  await sql`
    insert into pairs (chain_id, network, environment, token, token_address, decimals, enabled)
    values (${CHAIN_ID}, 'base', 'live', 'USDC', ${tokens.token}, 6, true),
      (${CHAIN_ID}, 'base', 'live', 'USDT', ${tokens.usdt}, 6, true)`
}

function baseDeployment({ rpcUrl, token, usdt }: Tokens & { readonly rpcUrl: string }): DeploymentConfig {
  const ofToken = { decimals: 6, restriction: null, enabled: true }
  return {
    ...{ network: 'base', environment: 'live', family: 'evm', chainId: CHAIN_ID },
    ...{ confirmations: CONFIRMATIONS, blockTimeMs: 1000, pollingIntervalMs: 100, finalityBlocks: 30 },
    ...nodesAt([rpcUrl]),
    tokens: [
      { ...ofToken, token: 'USDC', address: token },
      { ...ofToken, token: 'USDT', address: usdt },
    ],
  }
}

/** Encodes a bundle in which the smart account calls the token, once in each operation. */
function handleOps(calls: readonly Hex[], token: Address): Hex {
  const operations = calls.map((data, index) => ({
    ...{
      sender: SMART_ACCOUNT,
      nonce: BigInt(index),
      initCode: '0x',
      paymasterAndData: '0x',
      signature: '0x',
    },
    ...{ accountGasLimits: zeroHash, preVerificationGas: 0n, gasFees: zeroHash },
    callData: encodeFunctionData({
      abi: accountArtifact.abi as Abi,
      functionName: 'execute',
      args: [token, 0n, data],
    }),
  }))
  return encodeFunctionData({
    abi: entryPointArtifact.abi as Abi,
    functionName: 'handleOps',
    args: [operations, ACCOUNTS.payer.address],
  })
}

import { ConfigError } from './config-error.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { getPayoutBounds } from './payout-bounds.ts'
import { parseSealKeyPair, parseTreasuries, readNetworks, requireSettings } from './process-config.ts'
import type { ProcessEnv } from './read-settings.ts'
import {
  CLIENT_SETTINGS,
  DOCTOR_SETTINGS,
  KEEPER_SETTINGS,
  KEYS_SETTINGS,
  MIGRATION_SETTINGS,
  OPERATOR_SETTINGS,
  RESEAL_SETTINGS,
  SESSION_SETTINGS,
} from './settings.ts'

/**
 * Returns whether a command must reject a database session that can lose confirmed commits.
 *
 * @throws {ConfigError} with the variable, if its value is invalid
 */
export function readChecksCommits(env: ProcessEnv = process.env): boolean {
  return requireSettings(SESSION_SETTINGS, env).SYNCHRONOUS_COMMIT_CHECK === 'on'
}

/**
 * Reads the configuration of the operators' commands that need only the database.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readOperatorConfig(env: ProcessEnv = process.env) {
  return { databaseUrl: requireSettings(OPERATOR_SETTINGS, env).OPERATOR_DATABASE_URL }
}

/**
 * Reads the configuration of `npm run keys`.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readKeysConfig(env: ProcessEnv = process.env) {
  const values = requireSettings(KEYS_SETTINGS, env)
  return { databaseUrl: values.OPERATOR_DATABASE_URL, treasury: parseTreasuries(values) }
}

/**
 * Reads the configuration of `npm run webhooks -- reseal`.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readResealConfig(env: ProcessEnv = process.env) {
  const values = requireSettings(RESEAL_SETTINGS, env)
  return {
    databaseUrl: values.OPERATOR_DATABASE_URL,
    /** Private keys of webhook secrets, newest first. */
    sealPrivateKeys: parseSealKeyPair(values.WEBHOOK_SEAL_PRIVATE_KEY),
  }
}

/**
 * Reads the configuration of `npm run migrate`.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readMigrationConfig(env: ProcessEnv = process.env) {
  return { databaseUrl: requireSettings(MIGRATION_SETTINGS, env).OWNER_DATABASE_URL }
}

/**
 * Reads the configuration of `npm run keeper`.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readKeeperConfig(env: ProcessEnv = process.env) {
  const values = requireSettings(KEEPER_SETTINGS, env)
  return {
    apiUrl: values.KEEPER_API_URL.replace(/\/$/, ''),
    apiKey: values.KEEPER_API_KEY,
    /** 0x and 64 hex digits. */
    privateKey: values.KEEPER_PRIVATE_KEY as `0x${string}`,
  }
}

/**
 * Reads the configuration of `npm run svc`.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readClientConfig(env: ProcessEnv = process.env) {
  const values = requireSettings(CLIENT_SETTINGS, env)
  return { apiUrl: values.SVC_API_URL, apiKey: values.SVC_API_KEY }
}

/**
 * Reads the configured deployments, the only configuration of `npm run contracts`.
 *
 * @throws {ConfigError} with every problem
 */
export function readDeployments(env: ProcessEnv = process.env): readonly DeploymentConfig[] {
  const { deployments, problems } = readNetworks(env)
  if (problems.length > 0) throw new ConfigError(problems)
  return deployments
}

/**
 * Reads the configuration of `npm run networks -- doctor`, with the daemon's payout bounds.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readDoctorConfig(env: ProcessEnv = process.env) {
  const values = requireSettings(DOCTOR_SETTINGS, env)
  const deployments = readDeployments(env)
  return {
    databaseUrl: values.OPERATOR_DATABASE_URL,
    nodeBudgetShare: values.INDEXER_NODE_BUDGET_PERCENT / 100,
    deployments: deployments.map((deployment) => ({ ...deployment, ...getPayoutBounds(deployment, values) })),
  }
}

/**
 * Reads a private key from the variable that an operator names on the command line.
 *
 * @throws {ConfigError} if the value is invalid; the message does not show it
 */
export function readPrivateKey(name: string, env: ProcessEnv = process.env): `0x${string}` {
  const value = env[name] ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(value)) throw new ConfigError([`${name} must be 0x and 64 hex digits`])
  return value as `0x${string}`
}

/**
 * Reads a private key like `readPrivateKey`; returns `null` if the variable is not set.
 *
 * @throws {ConfigError} if the value is invalid; the message does not show it
 */
export function findPrivateKey(name: string, env: ProcessEnv = process.env): `0x${string}` | null {
  return env[name] ? readPrivateKey(name, env) : null
}

/** Returns the webhook secrets in `EXIT_WEBHOOK_SECRETS`, for `svc exit`, without validating them. */
export function readExitSecrets(env: ProcessEnv = process.env): readonly string[] {
  return (env['EXIT_WEBHOOK_SECRETS'] ?? '').split(/\s+/).filter(Boolean)
}

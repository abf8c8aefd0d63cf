import { ConfigError } from './config-error.ts'
import type { IndexerDeployment } from './indexer-config.ts'
import type { DeploymentConfig } from './networks-config.ts'
import { payoutBoundsOf } from './payout-bounds.ts'
import { readNetworks, sealKeysOf, settingsOf, type Treasury, treasuryOf } from './process-config.ts'
import type { Environ } from './read-settings.ts'
import {
  CLIENT_SETTINGS,
  DOCTOR_SETTINGS,
  KEEPER_SETTINGS,
  MIGRATION_SETTINGS,
  OPERATOR_SETTINGS,
  RESEAL_SETTINGS,
  SESSION_SETTINGS,
} from './settings.ts'

/**
 * Returns whether a command must reject a session whose confirmed commits can be lost.
 *
 * @throws {ConfigError} with the variable, if it is invalid
 */
export function readChecksCommits(env: Environ = process.env): boolean {
  return settingsOf(SESSION_SETTINGS, env).SYNCHRONOUS_COMMIT_CHECK === 'on'
}

export type OperatorConfig = { readonly databaseUrl: string; readonly treasury: Treasury }

/** Configuration of `npm run webhooks -- reseal`; the keys are newest first. */
export type ResealConfig = { readonly databaseUrl: string; readonly sealPrivateKeys: readonly Buffer[] }

export type MigrationConfig = { readonly databaseUrl: string }

/**
 * Reads the configuration of the operators' commands from the environment.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readOperatorConfig(env: Environ = process.env): OperatorConfig {
  const values = settingsOf(OPERATOR_SETTINGS, env)
  return { databaseUrl: values.OPERATOR_DATABASE_URL, treasury: treasuryOf(values) }
}

/**
 * Reads the configuration of `npm run webhooks -- reseal` from the environment.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readResealConfig(env: Environ = process.env): ResealConfig {
  const values = settingsOf(RESEAL_SETTINGS, env)
  return {
    databaseUrl: values.OPERATOR_DATABASE_URL,
    sealPrivateKeys: sealKeysOf(values.WEBHOOK_SEAL_PRIVATE_KEY),
  }
}

/**
 * Reads the configuration of `npm run migrate` from the environment.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readMigrationConfig(env: Environ = process.env): MigrationConfig {
  return { databaseUrl: settingsOf(MIGRATION_SETTINGS, env).OWNER_DATABASE_URL }
}

/** The service's URL and the API key for requests to it. */
export type ClientConfig = { readonly apiUrl: string; readonly apiKey: string }

/** Configuration of a keeper. */
export type KeeperConfig = {
  readonly apiUrl: string
  readonly apiKey: string
  /** 0x and 64 hex digits. */
  readonly privateKey: `0x${string}`
}

/**
 * Reads the configuration of `npm run keeper` from the environment.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readKeeperConfig(env: Environ = process.env): KeeperConfig {
  const values = settingsOf(KEEPER_SETTINGS, env)
  return {
    apiUrl: values.KEEPER_API_URL.replace(/\/$/, ''),
    apiKey: values.KEEPER_API_KEY,
    privateKey: values.KEEPER_PRIVATE_KEY as `0x${string}`,
  }
}

/**
 * Reads the configuration of `npm run svc` from the environment.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readClientConfig(env: Environ = process.env): ClientConfig {
  const values = settingsOf(CLIENT_SETTINGS, env)
  return { apiUrl: values.SVC_API_URL, apiKey: values.SVC_API_KEY }
}

/**
 * Returns the configured deployments, the only configuration of `npm run contracts`.
 *
 * @throws {ConfigError} with every problem
 */
export function readDeployments(env: Environ = process.env): readonly DeploymentConfig[] {
  const { deployments, problems } = readNetworks(env)
  if (problems.length > 0) throw new ConfigError(problems)
  return deployments
}

/** Configuration of `npm run networks -- doctor`, with the daemon's own bounds. */
export type DoctorConfig = {
  readonly databaseUrl: string
  readonly deployments: readonly IndexerDeployment[]
}

/**
 * Reads the configuration of `npm run networks -- doctor` from the environment.
 *
 * @throws {ConfigError} with every invalid variable
 */
export function readDoctorConfig(env: Environ = process.env): DoctorConfig {
  const values = settingsOf(DOCTOR_SETTINGS, env)
  const deployments = readDeployments(env)
  return {
    databaseUrl: values.OPERATOR_DATABASE_URL,
    deployments: deployments.map((deployment) => ({ ...deployment, ...payoutBoundsOf(deployment, values) })),
  }
}

/**
 * Reads a private key from the variable that an operator names on the command line.
 *
 * @throws {ConfigError} without the value
 */
export function readPrivateKey(name: string, env: Environ = process.env): `0x${string}` {
  const value = env[name] ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(value)) throw new ConfigError([`${name} must be 0x and 64 hex digits`])
  return value as `0x${string}`
}

/** A typed client of the agent identity and reputation service. */
export type { Answer, Call, CallData } from "./call.ts";
export { type Client, type ClientOptions, createClient, type Pay, type Schemas } from "./client.ts";
export type { CredDemand, CredProof, CredReader, CredRefusal, CredTrust, CredVerdict } from "./cred.ts";
export {
  ApiError,
  ConnectionError,
  ERROR_CODES,
  type ErrorCode,
  PaymentRefused,
  RegistrationFailed,
  RegistrationPending,
  type SentPayment,
  StreamEnded,
  StreamGap,
} from "./errors.ts";
export type { Gap, StreamEvent } from "./event-stream.ts";
export type { After, Filter, Lists, Stopping } from "./lists.ts";
export type { components, operations, paths } from "./openapi.ts";
export { checkPin, type Pin, type PinCheck } from "./pins.ts";
export type { Registered, RegisterOptions } from "./register.ts";
export type { Fetch, RetryRules } from "./retry.ts";
export { siwaText, type Wallet } from "./sign-in.ts";
export type { EventFilter, StreamOptions, Streams } from "./streams.ts";
export { realTime, type Time } from "./time.ts";

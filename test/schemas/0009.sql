-- A store with schema 9, as build 0.1.0+b129ebddcab8 made it from 0008.sql. pg_dump wrote this; the rows of later tables and columns are added by hand.
CREATE TABLE public.cluster_backup (
    id uuid NOT NULL,
    vnf_instance_id uuid NOT NULL,
    taken_at timestamp with time zone DEFAULT now() NOT NULL,
    node_name text NOT NULL,
    endpoint text NOT NULL,
    revision text NOT NULL,
    total_keys integer NOT NULL,
    bytes integer NOT NULL,
    chunks integer NOT NULL
);
CREATE TABLE public.cluster_backup_chunk (
    backup_id uuid NOT NULL,
    seq integer NOT NULL,
    sealed bytea NOT NULL
);
CREATE TABLE public.cluster_node (
    vnf_instance_id uuid NOT NULL,
    slot text NOT NULL,
    role text NOT NULL,
    server_id text NOT NULL,
    node_name text NOT NULL,
    ssh_address text NOT NULL,
    nic_address text NOT NULL
);
CREATE TABLE public.host_key (
    server_id text NOT NULL,
    vnf_instance_id uuid NOT NULL,
    key_type text NOT NULL,
    fingerprint text NOT NULL,
    source text NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.lcm_request (
    vnf_lcm_op_occ_id uuid NOT NULL,
    vnf_instance_id uuid NOT NULL,
    tenant text NOT NULL,
    operation text NOT NULL,
    operation_params jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.operation_event (
    seq bigint NOT NULL,
    vnf_lcm_op_occ_id uuid NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    type text NOT NULL,
    state text NOT NULL,
    step_id text,
    attempt integer,
    summary text NOT NULL,
    text text NOT NULL
);
CREATE SEQUENCE public.operation_event_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.operation_event_seq_seq OWNED BY public.operation_event.seq;
CREATE TABLE public.operation_plan (
    vnf_lcm_op_occ_id uuid NOT NULL,
    direction text NOT NULL,
    plan jsonb NOT NULL
);
CREATE TABLE public.operation_step (
    vnf_lcm_op_occ_id uuid NOT NULL,
    step_id text NOT NULL,
    ordinal integer NOT NULL,
    kind text NOT NULL,
    slot text,
    after jsonb NOT NULL,
    state text NOT NULL,
    summary text NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    log_tail text,
    error jsonb,
    note text,
    attempt_scheduled_at timestamp with time zone,
    progress text
);
CREATE TABLE public.schema_migration (
    number integer NOT NULL,
    name text NOT NULL,
    least_schema integer NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.secret (
    name text NOT NULL,
    owner text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.step_duration (
    kind text NOT NULL,
    samples integer NOT NULL,
    mean_seconds double precision NOT NULL
);
CREATE TABLE public.vim (
    id uuid NOT NULL,
    tenant text NOT NULL,
    name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    type text NOT NULL,
    auth_url text NOT NULL,
    vim_project jsonb NOT NULL,
    auth_cred jsonb NOT NULL,
    extra jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_default boolean DEFAULT false NOT NULL,
    placement_attr jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone,
    vnf_instance_id uuid
);
CREATE TABLE public.vnf_instance (
    id uuid NOT NULL,
    tenant text NOT NULL,
    name text,
    description text,
    vnfd_id text NOT NULL,
    package_id uuid NOT NULL,
    provider text NOT NULL,
    product_name text NOT NULL,
    software_version text NOT NULL,
    vnfd_version text NOT NULL,
    instantiation_state text NOT NULL,
    metadata jsonb,
    extensions jsonb,
    vnf_configurable_properties jsonb,
    vim_connection_info jsonb,
    instantiated_vnf_info jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.vnf_lcm_op_occ (
    id uuid NOT NULL,
    vnf_instance_id uuid NOT NULL,
    tenant text NOT NULL,
    operation text NOT NULL,
    operation_state text NOT NULL,
    state_entered_time timestamp with time zone NOT NULL,
    start_time timestamp with time zone NOT NULL,
    grant_id uuid,
    is_automatic_invocation boolean DEFAULT false NOT NULL,
    is_cancel_pending boolean DEFAULT false NOT NULL,
    operation_params jsonb NOT NULL,
    error jsonb,
    resource_changes jsonb,
    context jsonb DEFAULT '{}'::jsonb NOT NULL,
    cancel_mode text,
    record_seq integer DEFAULT 0 NOT NULL,
    round integer DEFAULT 0 NOT NULL,
    plan_direction text,
    lost jsonb,
    changed_info jsonb
);
CREATE TABLE public.vnf_package (
    id uuid NOT NULL,
    tenant text NOT NULL,
    onboarding_state text NOT NULL,
    operational_state text NOT NULL,
    user_defined_data jsonb DEFAULT '{}'::jsonb NOT NULL,
    vnfd_id text,
    provider text,
    product_name text,
    software_version text,
    vnfd_version text,
    checksum jsonb,
    software_images jsonb,
    additional_artifacts jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    upload_attempt uuid,
    upload_seen_at timestamp with time zone,
    onboarding_failure jsonb
);
CREATE TABLE public.vnf_package_content (
    package_id uuid NOT NULL,
    seq integer NOT NULL,
    chunk bytea NOT NULL
);
CREATE TABLE public.vnf_package_file (
    package_id uuid NOT NULL,
    path text NOT NULL,
    content bytea NOT NULL
);
ALTER TABLE ONLY public.operation_event ALTER COLUMN seq SET DEFAULT nextval('public.operation_event_seq_seq'::regclass);
INSERT INTO public.cluster_backup (id, vnf_instance_id, taken_at, node_name, endpoint, revision, total_keys, bytes, chunks) VALUES ('77777777-0000-4000-8000-000000000001', '22222222-0000-4000-8000-000000000001', '2026-11-21 15:00:00+00', 'master66', '10.10.0.66:6443', '9007199254740993', 120, 4, 1);
INSERT INTO public.cluster_backup_chunk (backup_id, seq, sealed) VALUES ('77777777-0000-4000-8000-000000000001', 0, '\x01020304');
INSERT INTO public.cluster_node (vnf_instance_id, slot, role, server_id, node_name, ssh_address, nic_address) VALUES ('22222222-0000-4000-8000-000000000001', 'masterNode[0]', 'control-plane', '55555555-0000-4000-8000-000000000001', 'master66', '10.10.0.66', '10.10.0.66');
INSERT INTO public.cluster_node (vnf_instance_id, slot, role, server_id, node_name, ssh_address, nic_address) VALUES ('22222222-0000-4000-8000-000000000001', 'workerNode[0]', 'worker', '55555555-0000-4000-8000-000000000002', 'worker15', '10.10.0.15', '10.10.0.15');
INSERT INTO public.host_key (server_id, vnf_instance_id, key_type, fingerprint, source, seen_at) VALUES ('55555555-0000-4000-8000-000000000001', '22222222-0000-4000-8000-000000000001', 'ssh-ed25519', 'SHA256:x', 'console', '2026-11-22 18:11:32.550021+00');
INSERT INTO public.kysely_migration (name, "timestamp") VALUES ('2026-11-21-first', '2026-11-22T18:11:32.440Z');
INSERT INTO public.kysely_migration (name, "timestamp") VALUES ('2026-11-21-kubernetes-vim', '2026-11-22T18:11:32.598Z');
INSERT INTO public.kysely_migration (name, "timestamp") VALUES ('2026-11-22-cluster-backups', '2026-11-22T18:11:32.728Z');
INSERT INTO public.kysely_migration (name, "timestamp") VALUES ('2026-11-22-operator-controls', '2026-11-22T18:11:32.904Z');
INSERT INTO public.kysely_migration (name, "timestamp") VALUES ('2026-11-22-step-attempts', '2026-11-22T18:11:33.047Z');
INSERT INTO public.kysely_migration (name, "timestamp") VALUES ('2026-11-23-take-over', '2026-11-22T18:11:33.202Z');
INSERT INTO public.kysely_migration (name, "timestamp") VALUES ('2026-11-24-package-uploads', '2026-11-22T18:11:33.436Z');
INSERT INTO public.kysely_migration (name, "timestamp") VALUES ('2026-11-25-changed-info', '2026-11-22T18:11:33.607Z');
INSERT INTO public.kysely_migration_lock (id, is_locked) VALUES ('migration_lock', 0);
INSERT INTO public.lcm_request (vnf_lcm_op_occ_id, vnf_instance_id, tenant, operation, operation_params, created_at) VALUES ('33333333-0000-4000-8000-000000000003', '22222222-0000-4000-8000-000000000001', 'nfv', 'SCALE', '{"type": "SCALE_OUT", "aspectId": "worker_instance"}', '2026-11-22 18:11:32.5479+00');
INSERT INTO public.operation_event (seq, vnf_lcm_op_occ_id, at, type, state, step_id, attempt, summary, text) VALUES (1, '33333333-0000-4000-8000-000000000002', '2026-11-22 18:11:32.548942+00', 'operation', 'STARTING', NULL, NULL, 'STARTING', 'INSTANTIATE accepted');
INSERT INTO public.operation_event (seq, vnf_lcm_op_occ_id, at, type, state, step_id, attempt, summary, text) VALUES (2, '33333333-0000-4000-8000-000000000002', '2026-11-22 18:11:32.548942+00', 'step', 'FAILED', 'initControlPlane-masterNode-0', 1, 'initialise the cluster', 'initialise the cluster: kubeadm init failed');
INSERT INTO public.operation_plan (vnf_lcm_op_occ_id, direction, plan) VALUES ('33333333-0000-4000-8000-000000000002', 'forward', '{"steps": [{"id": "applyStack", "kind": "applyStack", "after": []}, {"id": "initControlPlane-masterNode-0", "kind": "initControlPlane", "slot": "masterNode[0]", "after": ["applyStack"]}], "direction": "forward", "operation": "INSTANTIATE", "rollbackSupported": true}');
INSERT INTO public.operation_step (vnf_lcm_op_occ_id, step_id, ordinal, kind, slot, after, state, summary, attempt, started_at, ended_at, log_tail, error, note, attempt_scheduled_at, progress) VALUES ('33333333-0000-4000-8000-000000000002', 'applyStack', 0, 'applyStack', NULL, '[]', 'DONE', 'create the Heat stack', 1, '2026-11-21 13:00:05+00', '2026-11-21 13:02:00+00', NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.operation_step (vnf_lcm_op_occ_id, step_id, ordinal, kind, slot, after, state, summary, attempt, started_at, ended_at, log_tail, error, note, attempt_scheduled_at, progress) VALUES ('33333333-0000-4000-8000-000000000004', 'growStack', 0, 'growStack', NULL, '[]', 'SKIPPED', 'grow the Heat stack', 1, NULL, NULL, NULL, NULL, 'skipped by tester: it was there', NULL, NULL);
INSERT INTO public.operation_step (vnf_lcm_op_occ_id, step_id, ordinal, kind, slot, after, state, summary, attempt, started_at, ended_at, log_tail, error, note, attempt_scheduled_at, progress) VALUES ('33333333-0000-4000-8000-000000000002', 'initControlPlane-masterNode-0', 1, 'initControlPlane', 'masterNode[0]', '["applyStack"]', 'FAILED', 'initialise the cluster', 1, '2026-11-21 13:02:00+00', '2026-11-21 13:10:00+00', 'error: x', '{"code": "NODE_COMMAND_FAILED", "detail": "kubeadm init failed"}', NULL, '2026-11-21 13:02:00.123456+00', 'kubeadm init: waits for the API server');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (1, '0001-first', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (2, '0002-kubernetes-vim', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (3, '0003-cluster-backups', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (4, '0004-operator-controls', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (5, '0005-step-attempts', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (6, '0006-take-over', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (7, '0007-package-uploads', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (8, '0008-changed-info', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.schema_migration (number, name, least_schema, applied_at) VALUES (9, '0009-step-progress', 1, '2026-11-22 22:04:04.329131+00');
INSERT INTO public.secret (name, owner, sealed, created_at) VALUES ('operation/33333333-0000-4000-8000-000000000002/params', '33333333-0000-4000-8000-000000000002', '\xfe56bf01921c51aae8ac91e7d8d570e9af6f2a30f7fa1c9720d569b05fea3fe1462b1da531ada5dd8ed8e215c231145bfd2e', '2026-11-22 18:11:32.549512+00');
INSERT INTO public.step_duration (kind, samples, mean_seconds) VALUES ('applyStack', 3, 40.5);
INSERT INTO public.vim (id, tenant, name, description, type, auth_url, vim_project, auth_cred, extra, is_default, placement_attr, created_at, updated_at, vnf_instance_id) VALUES ('66666666-0000-4000-8000-000000000001', 'nfv', 'openstack', '', 'openstack', 'http://127.0.0.1/identity/v3', '{"name": "nfv"}', '{"username": "nfv_user"}', '{}', true, '{}', '2026-11-22 18:11:32.550193+00', NULL, NULL);
INSERT INTO public.vim (id, tenant, name, description, type, auth_url, vim_project, auth_cred, extra, is_default, placement_attr, created_at, updated_at, vnf_instance_id) VALUES ('66666666-0000-4000-8000-000000000002', 'nfv', 'kubernetes-vim', '', 'kubernetes', 'https://10.10.0.66:6443', '{"name": "default"}', '{}', '{}', false, '{}', '2026-11-22 18:11:32.662591+00', NULL, '22222222-0000-4000-8000-000000000001');
INSERT INTO public.vnf_instance (id, tenant, name, description, vnfd_id, package_id, provider, product_name, software_version, vnfd_version, instantiation_state, metadata, extensions, vnf_configurable_properties, vim_connection_info, instantiated_vnf_info, created_at) VALUES ('22222222-0000-4000-8000-000000000001', 'nfv', 'cluster', NULL, 'b1bb0ce7-ebca-4fa7-95ed-4840d7000000', '11111111-0000-4000-8000-000000000001', 'Company', 'Sample VNF', '1.0', '1.0', 'INSTANTIATED', '{"key": "value"}', NULL, NULL, '{"vim1": {"vimType": "ETSINFV.OPENSTACK_KEYSTONE.V_3"}}', '{"vnfState": "STARTED", "flavourId": "simple"}', '2026-11-22 18:11:32.547313+00');
INSERT INTO public.vnf_instance (id, tenant, name, description, vnfd_id, package_id, provider, product_name, software_version, vnfd_version, instantiation_state, metadata, extensions, vnf_configurable_properties, vim_connection_info, instantiated_vnf_info, created_at) VALUES ('22222222-0000-4000-8000-000000000002', 'nfv', 'failing', 'its instantiate waits', 'b1bb0ce7-ebca-4fa7-95ed-4840d7000000', '11111111-0000-4000-8000-000000000001', 'Company', 'Sample VNF', '1.0', '1.0', 'NOT_INSTANTIATED', NULL, NULL, NULL, NULL, NULL, '2026-11-22 18:11:32.547313+00');
INSERT INTO public.vnf_lcm_op_occ (id, vnf_instance_id, tenant, operation, operation_state, state_entered_time, start_time, grant_id, is_automatic_invocation, is_cancel_pending, operation_params, error, resource_changes, context, cancel_mode, record_seq, round, plan_direction, lost, changed_info) VALUES ('33333333-0000-4000-8000-000000000001', '22222222-0000-4000-8000-000000000001', 'nfv', 'INSTANTIATE', 'COMPLETED', '2026-11-21 12:10:00+00', '2026-11-21 12:00:00+00', '44444444-0000-4000-8000-000000000001', false, false, '{"flavourId": "simple"}', NULL, '{"affectedVnfcs": []}', '{}', NULL, 0, 0, NULL, NULL, NULL);
INSERT INTO public.vnf_lcm_op_occ (id, vnf_instance_id, tenant, operation, operation_state, state_entered_time, start_time, grant_id, is_automatic_invocation, is_cancel_pending, operation_params, error, resource_changes, context, cancel_mode, record_seq, round, plan_direction, lost, changed_info) VALUES ('33333333-0000-4000-8000-000000000004', '22222222-0000-4000-8000-000000000001', 'nfv', 'SCALE', 'PROCESSING', '2026-11-21 16:00:00+00', '2026-11-21 16:00:00+00', NULL, false, true, '{"type": "SCALE_OUT"}', NULL, NULL, '{}', 'GRACEFUL', 0, 0, NULL, NULL, NULL);
INSERT INTO public.vnf_lcm_op_occ (id, vnf_instance_id, tenant, operation, operation_state, state_entered_time, start_time, grant_id, is_automatic_invocation, is_cancel_pending, operation_params, error, resource_changes, context, cancel_mode, record_seq, round, plan_direction, lost, changed_info) VALUES ('33333333-0000-4000-8000-000000000002', '22222222-0000-4000-8000-000000000002', 'nfv', 'INSTANTIATE', 'FAILED_TEMP', '2026-11-21 13:10:00+00', '2026-11-21 13:00:00+00', NULL, false, false, '{"flavourId": "simple"}', '{"code": "ENGINE_LOST", "title": "Workflow of the operation is gone", "detail": "The INSTANTIATE operation was PROCESSING, and its workflow is gone.", "status": 500}', NULL, '{}', NULL, 2, 1, 'forward', '{"in": "PROCESSING", "error": null}', NULL);
INSERT INTO public.vnf_lcm_op_occ (id, vnf_instance_id, tenant, operation, operation_state, state_entered_time, start_time, grant_id, is_automatic_invocation, is_cancel_pending, operation_params, error, resource_changes, context, cancel_mode, record_seq, round, plan_direction, lost, changed_info) VALUES ('33333333-0000-4000-8000-000000000005', '22222222-0000-4000-8000-000000000001', 'nfv', 'MODIFY_INFO', 'COMPLETED', '2026-11-22 09:00:00+00', '2026-11-22 08:59:59+00', NULL, false, false, '{"vnfInstanceName": "cluster"}', NULL, NULL, '{}', NULL, 0, 0, NULL, NULL, '{"vnfInstanceName": "cluster"}');
INSERT INTO public.vnf_package (id, tenant, onboarding_state, operational_state, user_defined_data, vnfd_id, provider, product_name, software_version, vnfd_version, checksum, software_images, additional_artifacts, created_at, upload_attempt, upload_seen_at, onboarding_failure) VALUES ('11111111-0000-4000-8000-000000000001', 'nfv', 'ONBOARDED', 'ENABLED', '{"kind": "test"}', 'b1bb0ce7-ebca-4fa7-95ed-4840d7000000', 'Company', 'Sample VNF', '1.0', '1.0', '{"hash": "ab", "algorithm": "sha512"}', '[{"id": "masterNode"}]', '[]', '2026-11-22 18:11:32.545052+00', NULL, NULL, NULL);
INSERT INTO public.vnf_package (id, tenant, onboarding_state, operational_state, user_defined_data, vnfd_id, provider, product_name, software_version, vnfd_version, checksum, software_images, additional_artifacts, created_at, upload_attempt, upload_seen_at, onboarding_failure) VALUES ('11111111-0000-4000-8000-000000000002', 'nfv', 'CREATED', 'DISABLED', '{}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-22 18:11:32.545052+00', '88888888-0000-4000-8000-000000000001', '2026-11-22 05:00:00+00', '{"code": "PACKAGE_FETCH_FAILED", "detail": "404"}');
INSERT INTO public.vnf_package_content (package_id, seq, chunk) VALUES ('11111111-0000-4000-8000-000000000001', 0, '\x504b0304');
INSERT INTO public.vnf_package_content (package_id, seq, chunk) VALUES ('11111111-0000-4000-8000-000000000001', 1, '\x0102');
INSERT INTO public.vnf_package_file (package_id, path, content) VALUES ('11111111-0000-4000-8000-000000000001', 'Definitions/vnfd.yaml', '\x613a2031');
SELECT pg_catalog.setval('public.operation_event_seq_seq', 2, true);
ALTER TABLE ONLY public.cluster_backup_chunk
    ADD CONSTRAINT cluster_backup_chunk_pkey PRIMARY KEY (backup_id, seq);
ALTER TABLE ONLY public.cluster_backup
    ADD CONSTRAINT cluster_backup_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.cluster_node
    ADD CONSTRAINT cluster_node_pkey PRIMARY KEY (vnf_instance_id, slot);
ALTER TABLE ONLY public.host_key
    ADD CONSTRAINT host_key_pkey PRIMARY KEY (server_id);
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.lcm_request
    ADD CONSTRAINT lcm_request_pkey PRIMARY KEY (vnf_lcm_op_occ_id);
ALTER TABLE ONLY public.operation_event
    ADD CONSTRAINT operation_event_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.operation_plan
    ADD CONSTRAINT operation_plan_pkey PRIMARY KEY (vnf_lcm_op_occ_id, direction);
ALTER TABLE ONLY public.operation_step
    ADD CONSTRAINT operation_step_pkey PRIMARY KEY (vnf_lcm_op_occ_id, step_id);
ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.secret
    ADD CONSTRAINT secret_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.step_duration
    ADD CONSTRAINT step_duration_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY public.vim
    ADD CONSTRAINT vim_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.vnf_instance
    ADD CONSTRAINT vnf_instance_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.vnf_lcm_op_occ
    ADD CONSTRAINT vnf_lcm_op_occ_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.vnf_package_content
    ADD CONSTRAINT vnf_package_content_pkey PRIMARY KEY (package_id, seq);
ALTER TABLE ONLY public.vnf_package_file
    ADD CONSTRAINT vnf_package_file_pkey PRIMARY KEY (package_id, path);
ALTER TABLE ONLY public.vnf_package
    ADD CONSTRAINT vnf_package_pkey PRIMARY KEY (id);
CREATE INDEX cluster_backup_instance ON public.cluster_backup USING btree (vnf_instance_id, taken_at);
CREATE INDEX operation_event_op ON public.operation_event USING btree (vnf_lcm_op_occ_id, seq);
CREATE INDEX secret_owner ON public.secret USING btree (owner);
CREATE UNIQUE INDEX vim_default ON public.vim USING btree (tenant) WHERE is_default;
CREATE UNIQUE INDEX vim_kubernetes_name ON public.vim USING btree (tenant, name) WHERE (type = 'kubernetes'::text);
CREATE UNIQUE INDEX vim_vnf_instance ON public.vim USING btree (vnf_instance_id);
CREATE INDEX vnf_instance_tenant ON public.vnf_instance USING btree (tenant, created_at);
CREATE INDEX vnf_lcm_op_occ_instance ON public.vnf_lcm_op_occ USING btree (vnf_instance_id, start_time);
CREATE INDEX vnf_lcm_op_occ_tenant ON public.vnf_lcm_op_occ USING btree (tenant, start_time);
CREATE UNIQUE INDEX vnf_package_vnfd ON public.vnf_package USING btree (tenant, vnfd_id);
ALTER TABLE ONLY public.cluster_backup_chunk
    ADD CONSTRAINT cluster_backup_chunk_backup_id_fkey FOREIGN KEY (backup_id) REFERENCES public.cluster_backup(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.cluster_backup
    ADD CONSTRAINT cluster_backup_vnf_instance_id_fkey FOREIGN KEY (vnf_instance_id) REFERENCES public.vnf_instance(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.operation_event
    ADD CONSTRAINT operation_event_vnf_lcm_op_occ_id_fkey FOREIGN KEY (vnf_lcm_op_occ_id) REFERENCES public.vnf_lcm_op_occ(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.operation_plan
    ADD CONSTRAINT operation_plan_vnf_lcm_op_occ_id_fkey FOREIGN KEY (vnf_lcm_op_occ_id) REFERENCES public.vnf_lcm_op_occ(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.operation_step
    ADD CONSTRAINT operation_step_vnf_lcm_op_occ_id_fkey FOREIGN KEY (vnf_lcm_op_occ_id) REFERENCES public.vnf_lcm_op_occ(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.vim
    ADD CONSTRAINT vim_vnf_instance_id_fkey FOREIGN KEY (vnf_instance_id) REFERENCES public.vnf_instance(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.vnf_instance
    ADD CONSTRAINT vnf_instance_package_id_fkey FOREIGN KEY (package_id) REFERENCES public.vnf_package(id);
ALTER TABLE ONLY public.vnf_package_content
    ADD CONSTRAINT vnf_package_content_package_id_fkey FOREIGN KEY (package_id) REFERENCES public.vnf_package(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.vnf_package_file
    ADD CONSTRAINT vnf_package_file_package_id_fkey FOREIGN KEY (package_id) REFERENCES public.vnf_package(id) ON DELETE CASCADE;

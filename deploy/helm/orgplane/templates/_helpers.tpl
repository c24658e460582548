{{- define "orgplane.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "orgplane.selector" -}}
app.kubernetes.io/name: orgplane
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "orgplane.labels" -}}
{{ include "orgplane.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "orgplane.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "orgplane.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "orgplane.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "orgplane.env" -}}
- name: ORGPLANE_PUBLIC_URL
  value: {{ required "Set publicUrl, such as https://orgplane.example." .Values.publicUrl | quote }}
- name: ORGPLANE_SEED
  value: none
- name: ORGPLANE_DRAIN_SECONDS
  value: {{ .Values.drainSeconds | quote }}
- name: ORGPLANE_SHUTDOWN_SECONDS
  value: {{ .Values.shutdownSeconds | quote }}
{{- if and (eq .Values.mode "postgres") .Values.migration.enabled }}
- name: ORGPLANE_MIGRATIONS
  value: check
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "orgplane.envFrom" -}}
{{- if eq .Values.mode "postgres" }}
- secretRef:
    name: {{ required "Set existingSecret to the name of a Secret with ORGPLANE_DATABASE_URL and ORGPLANE_SECRET_KEYS." .Values.existingSecret }}
{{- else if .Values.existingSecret }}
- secretRef:
    name: {{ .Values.existingSecret }}
{{- end }}
{{- end }}

{{- define "orgplane.probe" -}}
httpGet:
  path: {{ .prefix }}{{ .path }}
  port: http
  httpHeaders:
    # The server accepts this host with every ORGPLANE_PUBLIC_URL.
    - name: Host
      value: localhost
{{- end }}

{{- define "orgplane.pod" -}}
metadata:
  labels:
    {{- include "orgplane.labels" . | nindent 4 }}
    app.kubernetes.io/component: server
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "orgplane.name" . }}
  automountServiceAccountToken: false
  # With service links, a Service named orgplane would set ORGPLANE_PORT.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ add .Values.shutdownSeconds 10 }}
  securityContext:
    {{- include "orgplane.podSecurity" . | nindent 4 }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "orgplane.selector" $ | nindent 10 }}
          app.kubernetes.io/component: server
    {{- end }}
  containers:
    - name: orgplane
      image: {{ include "orgplane.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: [start]
      env:
        {{- include "orgplane.env" . | nindent 8 }}
      {{- with include "orgplane.envFrom" . }}
      envFrom:
        {{- . | trim | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: 8787
      startupProbe:
        {{- include "orgplane.probe" (dict "path" "/v1/ready" "prefix" (.Values.env.ORGPLANE_PATH_PREFIX | default "")) | nindent 8 }}
        periodSeconds: 2
        failureThreshold: 90
      livenessProbe:
        {{- include "orgplane.probe" (dict "path" "/v1/live" "prefix" (.Values.env.ORGPLANE_PATH_PREFIX | default "")) | nindent 8 }}
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        {{- include "orgplane.probe" (dict "path" "/v1/ready" "prefix" (.Values.env.ORGPLANE_PATH_PREFIX | default "")) | nindent 8 }}
        periodSeconds: 2
        timeoutSeconds: 5
        failureThreshold: 1
      resources:
        {{- toYaml (eq .Values.mode "embedded" | ternary .Values.embeddedResources .Values.resources) | nindent 8 }}
      securityContext:
        {{- include "orgplane.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/orgplane
        - name: temporary
          mountPath: /tmp
  volumes:
    - name: temporary
      emptyDir:
        sizeLimit: {{ .Values.temporarySize }}
    {{- if eq .Values.mode "postgres" }}
    - name: data
      emptyDir:
        sizeLimit: {{ .Values.temporarySize }}
    {{- end }}
{{- end }}

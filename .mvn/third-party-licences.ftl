<#-- The list of third-party licences: one row per dependency, as its own POM states the licence. -->
# Third-party licences

The following components are compile and runtime dependencies of Multimed's modules, and part of
`deploy/distribution/target/multimed.jar` (of two versions, only one). The list is generated from the components' own
POMs by `mvn -B -ntp license:aggregate-add-third-party`. The driver (`multimed-jdbc` and `multimed-protocol`) contains
none of them.

The binaries of engines are separate programs that Multimed starts; they are not linked with Multimed. Their licences
are those of PostgreSQL and MariaDB. MySQL Connector/J is licensed under the GPL with the Universal FOSS Exception. Who
distributes `multimed.jar` must comply with these licences, too.

| component | version | licence |
|---|---|---|
<#list dependencyMap as entry>
<#assign project = entry.getKey()/>
<#assign licenses = entry.getValue()/>
| `${project.groupId}:${project.artifactId}` | ${project.version} | <#list licenses as license>${license}<#if license_has_next>; </#if></#list> |
</#list>
